/** Applies declared groups, users and memberships. */
import type { DeclaredGroup, DeclaredUser } from '#config/declared/declared.ts'
import { hashPassword, passwordMatches } from '#identity/password.ts'
import type { Group, User } from '#identity/records.ts'
import { changedFields } from './changed-fields.ts'
import type { ApplyContext } from './apply-context.ts'

/** Makes the stored group equal to the declared one; its members are another step. */
export async function applyGroup({ store, entities, now, note }: ApplyContext, declared: DeclaredGroup): Promise<void> {
  const { name, description, permissions } = declared
  const current = entities.groups.get(name)
  if (current === undefined) {
    const group: Group = { id: crypto.randomUUID(), name, description, permissions, declared: true, createdAt: now }
    await store.groups.insert(group)
    entities.groups.set(name, group)
    return note('added', 'group', name)
  }
  const changed = changedFields(current, { description, permissions, declared: true })
  if (changed === null) return
  await store.groups.update(current.id, changed)
  note(current.declared ? 'changed' : 'taken over', 'group', name)
}

/** Makes the stored user equal to the declared one. A password that the file does not give stays as it is. */
export async function applyUser(context: ApplyContext, declared: DeclaredUser): Promise<void> {
  const { store, entities, now, note } = context
  const { email, name, role, kind, disabled, password } = declared
  const current = entities.users.get(email)
  if (current === undefined) {
    const hash = password === null ? null : await hashPassword(password.reveal())
    const hasPassword = password !== null
    const user: User = {
      id: crypto.randomUUID(),
      email,
      name,
      role,
      kind,
      disabled,
      hasPassword,
      declared: true,
      createdAt: now,
    }
    await store.users.insert(user, hash === null ? null : { hash, isTemporary: false })
    entities.users.set(email, user)
    return note('added', 'user', email)
  }
  const changed = changedFields(current, { name, role, kind, disabled, declared: true })
  if (changed !== null) await store.users.update(current.id, changed, now)
  const newPassword = await applyPassword(context, current, declared)
  const signsIn = !disabled && kind === 'person'
  if (newPassword || (changed !== null && !signsIn)) await store.sessions.deleteOfUser(current.id)
  if (changed !== null || newPassword) note(current.declared ? 'changed' : 'taken over', 'user', email)
}

async function applyPassword({ store, now }: ApplyContext, user: User, { password }: DeclaredUser): Promise<boolean> {
  if (password === null) return false
  const stored = await store.users.password(user.id)
  if (stored !== null && (await passwordMatches(password.reveal(), stored.hash))) return false
  const hash = await hashPassword(password.reveal())
  await store.users.setPassword(user.id, { hash, isTemporary: false }, now)
  return true
}

/**
 * Makes the members of each declared group that lists them exactly those of the list, so that who is
 * taken out of the file loses access. A group that lists none is left to administrators.
 */
export async function applyMembers(
  { store, entities, note }: ApplyContext,
  groups: readonly DeclaredGroup[],
): Promise<void> {
  const memberships = await store.users.memberships()
  for (const { name, members } of groups) {
    const groupId = entities.groups.get(name)?.id
    if (members === null || groupId === undefined) continue
    const wanted = new Set(members.flatMap((email) => entities.users.get(email)?.id ?? []))
    const present = new Set(memberships.filter((row) => row.groupId === groupId).map((row) => row.userId))
    const joining = [...wanted.difference(present)]
    const leaving = [...present.difference(wanted)]
    for (const userId of joining) await store.groups.addMember(groupId, userId)
    for (const userId of leaving) await store.groups.removeMember(groupId, userId)
    if (joining.length + leaving.length > 0) note('changed', 'members of group', name)
  }
}
