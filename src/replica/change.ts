/**
 * What an administrator can have changed, in the unit in which memory is brought up to date. A
 * change names what to read again and carries no data: the store is the only truth, so changes can
 * be applied twice or in another order without harm. What it names is also what is refused while it
 * cannot be read, so name the smallest entity.
 */
export type Change =
  /** One user: record, memberships, or gone with all keys. */
  | { readonly kind: 'user'; readonly id: string }
  /** One API key: made, changed or deleted. */
  | { readonly kind: 'key'; readonly id: string }
  /** All users, memberships, keys, names and permissions of groups; after a group is made, renamed or deleted, or its permissions change. */
  | { readonly kind: 'directory' }
  /** One model: record, aliases, groups, in-flight limits, prices, or gone. */
  | { readonly kind: 'model'; readonly id: string }
  /** One provider and all its models. */
  | { readonly kind: 'provider'; readonly id: string }
  /** All providers, models, in-flight limits, prices and budgets; after a group is deleted. */
  | { readonly kind: 'catalog' }
  /** Live settings. */
  | { readonly kind: 'settings' }
  /**
   * It is not known what, and nobody was promised it: a process was killed, or the answer to a write was lost. Everything
   * is read again as soon as that is possible, and nothing is refused until then.
   */
  | { readonly kind: 'unknown' }

export type ChangeKind = Change['kind']
