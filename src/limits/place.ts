/**
 * The shared place in which processes lend each other parts of limits, as an interface, and its rule.
 *
 * Within an epoch the place holds, for each key and member, the amount that the member claims; without a
 * row the member claims its fair share. Each member writes only its own rows. It lowers what it uses
 * before it writes less, and uses more only after the place has granted it, so a row is never below what
 * its member uses. The place grants only what the claims of all members leave of the limit.
 *
 * A place can be emptied or restored to an earlier state. Then its token is not the one that the members
 * agreed on (roster.ts), and it grants nothing until they have agreed on a new one in a new epoch.
 */

/** What one member claims of one key. */
export interface Claim {
  readonly key: string
  readonly limit: number
  /** Upper bound of what the member uses from now on, without what this claim may be granted. */
  readonly have: number
  /** How much more it would like. */
  readonly want: number
  /** What each member claims when it has no row, in the order of the members. */
  readonly shares: readonly number[]
}

export interface Batch {
  /** Has to be the place's; see `Place.open`. */
  readonly token: string
  readonly members: readonly string[]
  /** Index of the member that claims. */
  readonly self: number
  /** Greater with each batch of the member: one that was overtaken on its way changes nothing. */
  readonly seq: number
  /** At most one for a key. */
  readonly claims: readonly Claim[]
}

export interface Place extends AsyncDisposable {
  /** Begins every token of this kind of place, so that processes with different ones do not mix them up. */
  readonly kind: string
  /** Whether hints of the others arrive here. The next call of `exchange` brings that about, also after it was lost. */
  readonly isHearing: boolean
  /**
   * Makes the place ready for an epoch and returns its token. All rows of earlier epochs are gone then. The
   * token of an epoch stays the same until the place loses it. Null: it is at a later epoch.
   */
  open(epoch: number): Promise<string | null>
  /** What each claim was granted, from 0 to `want`. Null: the place has another token, or the batch was overtaken. */
  exchange(batch: Batch): Promise<readonly number[] | null>
  /** Sends a hint to all other processes; it may get lost, come twice or late. */
  tell(hint: string): Promise<void>
}

/** The rows of a place, by `rowKey`. */
export type Rows = Map<string, number>

/** Names the row of a member for a key. */
export function rowKey(key: string, member: string): string {
  return `${key}\n${member}`
}

/** Applies the claims in their order to the rows and returns what each was granted. The Lua of Valkey does the same. */
export function applyClaims(rows: Rows, { members, self, claims }: Omit<Batch, 'token' | 'seq'>): readonly number[] {
  return claims.map(({ key, limit, have, want, shares }) => {
    let others = 0
    for (const [index, member] of members.entries()) {
      if (index !== self) others += rows.get(rowKey(key, member)) ?? shares[index] ?? limit
    }
    const granted = Math.max(0, Math.min(want, limit - others - have))
    const own = rowKey(key, members[self] ?? '')
    if (have + granted === shares[self]) rows.delete(own)
    else rows.set(own, have + granted)
    return granted
  })
}
