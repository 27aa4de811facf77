/**
 * What an administrator can have changed, in the unit in which memory is brought up to date. A
 * change names what to read again and carries no data: the store is the only truth, so changes can
 * be applied twice or in another order without harm.
 */
export type Change =
  /** One user: record, memberships, or gone. */
  | { readonly kind: 'user'; readonly id: string }
  /** One API key: made, changed or deleted. */
  | { readonly kind: 'key'; readonly id: string }
  /** All users, memberships, keys and permissions; after a group is deleted or its permissions change. */
  | { readonly kind: 'directory' }
  /** Providers, models, aliases, their groups, or in-flight limits. */
  | { readonly kind: 'catalog' }
  /** Live settings. */
  | { readonly kind: 'settings' }
