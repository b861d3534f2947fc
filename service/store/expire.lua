#!lua
-- Take a game that is archived out of the store, and leave word that it was there.
--
-- KEYS: stream, due, games, rows, hooks, archive, ends, word
-- ARGV: game, SHA-1 of the record that was read, the word, for how long it is kept in ms
-- Answers 1, or 0 if the record is another one, or there is a stream.
--
-- The word is left first: whoever reads then finds the game, or that it has expired.

local record = redis.call('HGET', KEYS[6], ARGV[1])
if not record or redis.sha1hex(record) ~= ARGV[2] then return 0 end
if redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1] then return 0 end

redis.call('SET', KEYS[8], ARGV[3], 'PX', ARGV[4])
local members = ARGV[1] .. '|'
for member in string.gmatch(redis.call('HGET', KEYS[4], members) or '', '[^\n]+') do
  redis.call('ZREM', KEYS[3], member)
end
redis.call('HDEL', KEYS[4], ARGV[1], members)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('HDEL', KEYS[6], ARGV[1])
redis.call('ZREM', KEYS[7], ARGV[1])
return 1
