/** A user as the admin API shows it. */
import { instant, instantOf, pageOnWire } from '#http/page.ts'
import { z } from '#lib/schema.ts'
import { everyoneGroupId, userKinds, type User } from '#identity/records.ts'
import type { Page } from '#store/page.ts'
import type { Admin } from '../admin.ts'
import { instantOrNull } from '../fields.ts'
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
    last_seen_at: instant
      .nullable()
      .describe('Signed in, or by an API key that still exists; written about once a minute; null = never'),
    invited_until: instant.nullable().describe('A link to choose a password works until then; null = there is none'),
    etag,
  })
  .meta({ id: 'User' })

export type UserOnWire = z.input<typeof userAnswer>

/** What lists show of a user beside the record. */
export interface UserTimes {
  readonly seenAt: number | null
  readonly invitedUntil: number | null
}

const newUser: UserTimes = { seenAt: null, invitedUntil: null }

export function userOnWire(
  user: User,
  groupIds: Iterable<string>,
  { seenAt, invitedUntil }: UserTimes = newUser,
): UserOnWire {
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
    last_seen_at: instantOrNull(seenAt),
    invited_until: instantOrNull(invitedUntil),
    etag: userVersion(user),
  }
}

/** The version of what can be changed of a user; groups are joined and left at addresses of their own. */
export function userVersion({ email, name, role, kind, disabled }: User): string {
  return versionOf({ email, name, role, kind, disabled })
}

/** When each of these users was last seen, and until when each is invited. */
export async function timesOf({ store, clock }: Admin, ids: readonly string[]): Promise<(id: string) => UserTimes> {
  const [seen, invitations] = await Promise.all([store.users.lastSeen(ids), store.invitations.some(ids)])
  const now = clock.now()
  const invited = new Map(
    invitations.filter(({ expiresAt }) => expiresAt > now).map((each) => [each.userId, each.expiresAt]),
  )
  return (id) => ({ seenAt: seen.get(id) ?? null, invitedUntil: invited.get(id) ?? null })
}

/** A page of users as lists have it. Their groups are taken from memory: no query for each row. */
export async function userPageOnWire(admin: Admin, page: Page<User>) {
  const times = await timesOf(
    admin,
    page.items.map(({ id }) => id),
  )
  return pageOnWire(page, (user) =>
    userOnWire(user, admin.state.directory.account(user.id)?.groupIds ?? [everyoneGroupId], times(user.id)),
  )
}
