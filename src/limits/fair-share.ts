/**
 * The part of a limit that each process has without asking: the limit divided among the members, and the
 * remainder to those whose rank for the key is lowest. Ranks come from rendezvous hashing, so that every
 * process computes the same parts, and different keys give their remainders to different processes.
 *
 * Shares are monotone: with one more member no share of the others grows, since neither a member's rank
 * nor the divisor shrinks. The argument of docs/decisions/limits-ledger.md rests on it.
 */

/** The members that a process divides limits among, in the order in which the shared place counts them. */
export class View {
  readonly epoch: number
  readonly members: readonly string[]
  /** Index of this process among the members; -1 when it is not one of them. */
  readonly self: number
  readonly #hashes: readonly number[]

  constructor(epoch: number, members: readonly string[], self: string) {
    this.epoch = epoch
    this.members = members
    this.self = members.indexOf(self)
    this.#hashes = members.map(hashOf)
  }

  /** What each member may use of a limit without asking, in their order; the sum is the limit. */
  shares(key: string, limit: number): readonly number[] {
    const keyHash = hashOf(key)
    return this.#hashes.map((_hash, index) => shareOf(limit, this.#rank(keyHash, index), this.members.length))
  }

  /** What this process may use of a limit without asking; 0 when it is not a member. */
  ownShare(key: string, limit: number): number {
    return this.self < 0 ? 0 : shareOf(limit, this.#rank(hashOf(key), this.self), this.members.length)
  }

  /** How many members come before this one for the key. */
  #rank(keyHash: number, index: number): number {
    const own = score(keyHash, this.#hashes[index] ?? 0)
    const name = this.members[index] ?? ''
    let before = 0
    for (const [other, hash] of this.#hashes.entries()) {
      const theirs = score(keyHash, hash)
      // Names decide between equal scores, so that no two members have one rank.
      if (theirs < own || (theirs === own && (this.members[other] ?? '') < name)) before += 1
    }
    return before
  }
}

/** How many of the slots 0 … limit - 1 fall to a rank when they are dealt in turn. */
function shareOf(limit: number, rank: number, members: number): number {
  return rank >= limit ? 0 : Math.ceil((limit - rank) / members)
}

/** FNV-1a. Every version of Sluice has to compute the same. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/** The final mix of MurmurHash3: FNV-1a alone would rank similar names alike for all keys. */
function score(keyHash: number, memberHash: number): number {
  let hash = keyHash ^ Math.imul(memberHash, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
