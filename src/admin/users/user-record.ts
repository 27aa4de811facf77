/** A user as the admin API shows it. */
import { instant, instantOf } from '#http/page.ts'
import { z } from 'zod'
import { everyoneGroupId, userKinds, type User } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { etag, versionOf } from '../record-version.ts'

export const userAnswer = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.enum(['admin', 'user']),
    kind: z.enum(userKinds).describe('`service` = an account of a program, which cannot sign in'),
    disabled: z.boolean().describe('True refuses sign-in and all API keys of the user'),
    has_password: z.boolean().describe('Without one only API keys work'),
    groups: z.array(z.string()).describe('Ids; everyone is in the group everyone'),
    declared: z.boolean().describe('Read-only here, because the configuration file has it'),
    created_at: instant,
    etag,
  })
  .meta({ id: 'User' })

export type UserOnWire = z.input<typeof userAnswer>

export function userOnWire(user: User, groupIds: Iterable<string>): UserOnWire {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    kind: user.kind,
    disabled: user.disabled,
    has_password: user.hasPassword,
    groups: [...groupIds].sort(),
    declared: user.declared,
    created_at: instantOf(user.createdAt),
    etag: userVersion(user),
  }
}

/** The version of what can be changed of a user; groups are joined and left at addresses of their own. */
export function userVersion({ email, name, role, kind, disabled }: User): string {
  return versionOf({ email, name, role, kind, disabled })
}

/** A mapper for users of lists, whose groups are taken from memory: no query for each row. */
export function userOfList({ state }: Admin): (user: User) => UserOnWire {
  return (user) => userOnWire(user, state.directory.account(user.id)?.groupIds ?? [everyoneGroupId])
}
