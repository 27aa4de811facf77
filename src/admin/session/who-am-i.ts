/** The answer to "who am I": at sign-in, for a session, and for a key. */
import { z } from '#lib/schema.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { keyAnswer, keyOnWire, scopeNames } from '../keys/key-record.ts'
import { userAnswer, userOnWire } from '../users/user-record.ts'

export const whoAmIAnswer = z
  .strictObject({
    user: userAnswer,
    groups: z.array(z.strictObject({ id: z.string(), name: z.string() })),
    key: keyAnswer.nullable().describe('The API key of this request; null for a session'),
  })
  .meta({ id: 'WhoAmI' })

/** The caller's user, groups and, if there is one, key. */
export async function whoAmI(admin: Admin, { account, key }: Caller): Promise<z.input<typeof whoAmIAnswer>> {
  const groups = await admin.store.groups.all()
  return {
    user: userOnWire(account.user, account.groupIds),
    groups: groups
      .filter((group) => account.groupIds.has(group.id))
      .map((group) => ({ id: group.id, name: group.name })),
    key: key && keyOnWire(key, await scopeNames(admin, [key])),
  }
}
