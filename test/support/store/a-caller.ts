/** Callers for tests of what looks at them. */
import { everyoneGroupId, type Caller } from '#identity/records.ts'
import { aKey, aUser } from './store-records.ts'

/** Somebody with a key, in these groups besides everyone. */
export function aCaller(...groupIds: readonly string[]): Caller {
  const user = aUser()
  return { account: { user, groupIds: new Set([everyoneGroupId, ...groupIds]) }, key: aKey(user.id) }
}
