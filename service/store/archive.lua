#!lua
-- Put the record of a game in the place of its stream, if the stream is what was read.
--
-- KEYS: stream, due, archive, ends
-- ARGV: version, head as hex, game, record, when the game ended
-- Answers 1, or 0 if the last entry is another one.
--
-- The record is written first: whatever happens then, the game is there.

local top = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if not top or top[1] ~= ARGV[1] .. '-0' or redis.sha1hex(top[2][2]) ~= ARGV[2] then return 0 end

redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
redis.call('ZADD', KEYS[4], ARGV[5], ARGV[3])
redis.call('ZREM', KEYS[2], ARGV[3])
redis.call('UNLINK', KEYS[1])
return 1
