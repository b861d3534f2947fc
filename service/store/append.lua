#!lua
-- Append the events of one command to a game, all or none, if nobody else has.
--
-- KEYS: stream, due, games, rows, hooks
-- ARGV: version, head as hex ('' for a new game), due time or '', game, bell,
--       its members of the directory, one in each line, or '' to leave them as they are, the
--       game's row ('' for none), when to look for webhooks ('' to leave it, 0 for never),
--       event...
-- Answers 1, or 0 if the last entry is another one.
--
-- A script is atomic but not rolled back, hence all checks first, and indexes before
-- events: a stale line of an index is harmless, a missing one is a game that stands still.
-- The first line makes the server refuse the whole script when it could not write.

local top = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local id, head = '0-0', ''
if top then id, head = top[1], redis.sha1hex(top[2][2]) end
if id ~= ARGV[1] .. '-0' or head ~= ARGV[2] then return 0 end

if ARGV[3] == '' then redis.call('ZREM', KEYS[2], ARGV[4])
else redis.call('ZADD', KEYS[2], ARGV[3], ARGV[4]) end
if ARGV[6] ~= '' then
  local members, is_new = ARGV[4] .. '|', {}
  for member in string.gmatch(ARGV[6], '[^\n]+') do is_new[member] = true end
  for member in string.gmatch(redis.call('HGET', KEYS[4], members) or '', '[^\n]+') do
    if is_new[member] then is_new[member] = nil
    else redis.call('ZREM', KEYS[3], member) end
  end
  for member in pairs(is_new) do redis.call('ZADD', KEYS[3], 0, member) end
  if ARGV[7] == '' then redis.call('HDEL', KEYS[4], ARGV[4], members)
  else redis.call('HSET', KEYS[4], ARGV[4], ARGV[7], members, ARGV[6]) end
end

if ARGV[8] == '0' then redis.call('ZREM', KEYS[5], ARGV[4])
elseif ARGV[8] ~= '' then redis.call('ZADD', KEYS[5], ARGV[8], ARGV[4]) end

local version = tonumber(ARGV[1])
for i = 9, #ARGV do
  version = version + 1
  redis.call('XADD', KEYS[1], version .. '-0', 'e', ARGV[i])
end
redis.call('PUBLISH', ARGV[5], ARGV[4] .. ' ' .. version)
return 1
