/**
 * From a person whom the issuer has verified to the account that they sign in to. An account is
 * found by issuer and subject. Only a verified e-mail address may lead to one that has no subject of
 * this issuer yet: otherwise a user who can choose an address at the issuer could choose an administrator's.
 */
import type { Group, User } from '#identity/records.ts'
import { NameTaken } from '#store/errors.ts'
import type { Admin } from '../admin.ts'
import { groupIdsOf, isAllowedDomain, type Person } from '../oidc/claims.ts'
import type { IssuerSettings } from '../oidc/issuer-settings.ts'
import { OidcRefusal } from '../oidc/refusal.ts'

/** The person's account, with groups and role as the issuer has them now. Throws OidcRefusal. */
export async function accountOf(admin: Admin, issuer: IssuerSettings, person: Person): Promise<User> {
  const user = (await linkedUser(admin, person)) ?? (await newlyLinked(admin, issuer, person))
  if (!isAllowedDomain(user.email, issuer.allowedDomains)) throw new OidcRefusal('oidc_domain_denied')
  requireSignIn(user)
  await applyGrants(admin, issuer, { person, user })
  return user
}

async function linkedUser({ store }: Admin, person: Person): Promise<User | null> {
  const identity = await store.identities.get(person)
  return identity && store.users.get(identity.userId)
}

/** What a sign-in of this person would lead to. */
export interface Foreseen {
  /** Null for an account that would be created. */
  readonly user: User | null
  readonly email: string
  /** Names of the groups that the issuer gives. */
  readonly groups: readonly string[]
  readonly isAdmin: boolean
}

/** The same as `accountOf` without doing anything. Throws OidcRefusal where that does. */
export async function foreseenAccount(admin: Admin, issuer: IssuerSettings, person: Person): Promise<Foreseen> {
  const linked = await linkedUser(admin, person)
  const { email, known } =
    linked === null ? await reachedAccount(admin, issuer, person) : { email: linked.email, known: linked }
  if (!isAllowedDomain(email, issuer.allowedDomains)) throw new OidcRefusal('oidc_domain_denied')
  if (known !== null) requireSignIn(known)
  const groups = await admin.store.groups.all()
  const granted = grantsOf(issuer, person, groups)
  const ids = new Set(granted.groupIds)
  const names = groups.filter(({ id }) => ids.has(id)).map(({ name }) => name)
  return { user: known, email, groups: names, isAdmin: granted.admin }
}

/** The account that the person's address leads to; null for one that may be created. Throws OidcRefusal. */
async function reachedAccount(
  { store }: Admin,
  issuer: IssuerSettings,
  person: Person,
): Promise<{ readonly email: string; readonly known: User | null }> {
  const email = usableEmail(issuer, person)
  const known = await store.users.byEmail(email)
  if (known !== null) requireLinkable(known, issuer)
  else if (!issuer.autoCreate) throw new OidcRefusal('oidc_no_account')
  return { email, known }
}

async function newlyLinked(admin: Admin, issuer: IssuerSettings, person: Person): Promise<User> {
  const { store, clock } = admin
  const { email, known } = await reachedAccount(admin, issuer, person)
  const user = known ?? (await createdUser(admin, { person, email }))
  if (await store.identities.link(person, user.id, clock.now())) return user
  // The identity is linked by now, to another user or to this one: two sign-ins at once.
  const linked = await linkedUser(admin, person)
  if (linked === null) throw new OidcRefusal('oidc_account_taken')
  return linked
}

/** Throws OidcRefusal for an account that nobody may sign in to, also when the issuer knows its address. */
function requireSignIn({ disabled, kind }: User): void {
  if (disabled) throw new OidcRefusal('oidc_account_disabled')
  if (kind === 'service') throw new OidcRefusal('oidc_account_taken')
}

/** A further issuer could name any address: it reaches accounts that exist in its own domains only. Throws OidcRefusal. */
function requireLinkable(user: User, { isFirst, allowedDomains }: IssuerSettings): void {
  requireSignIn(user)
  if (!isFirst && allowedDomains.length === 0) throw new OidcRefusal('oidc_account_taken')
}

/** The address by which an account is found or created. Throws OidcRefusal when it proves nothing. */
function usableEmail(issuer: IssuerSettings, { email, emailVerified }: Person): string {
  if (email === null) throw new OidcRefusal('oidc_email_missing')
  if (!emailVerified && !issuer.trustEmail) throw new OidcRefusal('oidc_email_unverified')
  if (!isAllowedDomain(email, issuer.allowedDomains)) throw new OidcRefusal('oidc_domain_denied')
  return email
}

async function createdUser(
  { store, feed, clock }: Admin,
  { person, email }: { readonly person: Person; readonly email: string },
): Promise<User> {
  const user: User = {
    id: crypto.randomUUID(),
    email,
    name: person.name,
    role: 'user',
    disabled: false,
    kind: 'person',
    hasPassword: false,
    declared: false,
    createdAt: clock.now(),
  }
  try {
    await store.users.insert(user, null)
  } catch (thrown) {
    const other = thrown instanceof NameTaken ? await store.users.byEmail(email) : null
    if (other === null) throw thrown
    return other
  }
  await feed.publish([{ kind: 'user', id: user.id }])
  return user
}

async function applyGrants(
  { store, feed, clock, logger }: Admin,
  issuer: IssuerSettings,
  { person, user }: { readonly person: Person; readonly user: User },
): Promise<void> {
  const grants = grantsOf(issuer, person, await store.groups.all())
  const { changed, lastAdministrator } = await store.identities.grant(person, grants, clock.now())
  if (lastAdministrator) {
    logger.warn('the issuer no longer names this user an administrator, but there is no other one', { userId: user.id })
  }
  if (changed) await feed.publish([{ kind: 'user', id: user.id }])
}

function grantsOf({ adminGroups, groupMap }: IssuerSettings, person: Person, groups: readonly Group[]) {
  const administrators = new Set(adminGroups)
  return {
    groupIds: groupIdsOf(person.groups, groupMap, groups),
    admin: person.groups.some((value) => administrators.has(value)),
  }
}
