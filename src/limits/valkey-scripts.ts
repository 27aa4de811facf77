/**
 * What Valkey does in one step, in Lua. One hash holds the token (field `place`), the number of each
 * member's last batch (`seq <member>`) and the claims (`<key>\n<member>`).
 */

/** KEYS: the hash. ARGV: epoch, new token, what the token of this run of the server begins with. Answers the token, or nil. */
export const valkeyOpen = `
local held = redis.call('HMGET', KEYS[1], 'epoch', 'place')
local epoch = tonumber(ARGV[1])
if held[1] then
  if tonumber(held[1]) > epoch then return nil end
  local isOfThisRun = string.sub(held[2], 1, string.len(ARGV[3])) == ARGV[3]
  if tonumber(held[1]) == epoch and isOfThisRun then return held[2] end
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'place', ARGV[2])
return ARGV[2]
`

/**
 * KEYS: the hash. ARGV: token, number of the batch, index of the member from 1, number of members, the members;
 * then for each claim: key, limit, have, want, one share for each member. Answers one grant for each claim, or nil.
 * The same as `applyClaims` in place.ts.
 */
export const valkeyExchange = `
local hash = KEYS[1]
local self, count = tonumber(ARGV[3]), tonumber(ARGV[4])
local member = ARGV[4 + self]
local held = redis.call('HMGET', hash, 'place', 'seq ' .. member)
if held[1] ~= ARGV[1] then return nil end
if held[2] and tonumber(held[2]) >= tonumber(ARGV[2]) then return nil end
redis.call('HSET', hash, 'seq ' .. member, ARGV[2])
local grants = {}
local at = 5 + count
while ARGV[at] do
  local key, limit = ARGV[at], tonumber(ARGV[at + 1])
  local have, want = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local fields = {}
  for i = 1, count do fields[i] = key .. '\\n' .. ARGV[4 + i] end
  local rows = redis.call('HMGET', hash, unpack(fields))
  local others = 0
  for i = 1, count do
    if i ~= self then others = others + tonumber(rows[i] or ARGV[at + 3 + i]) end
  end
  local granted = math.max(0, math.min(want, limit - others - have))
  if have + granted == tonumber(ARGV[at + 3 + self]) then
    redis.call('HDEL', hash, fields[self])
  else
    redis.call('HSET', hash, fields[self], have + granted)
  end
  grants[#grants + 1] = granted
  at = at + 4 + count
end
return grants
`
