/** What the main thread and the thread that encodes say to each other. */

/** A part of a text that ends on a code point boundary. */
export interface Piece {
  readonly text: string
  /** How many tokens it takes: above 1 where a code point is spread over several. */
  readonly tokens: number
}

export type TokenWork =
  | { readonly kind: 'count'; readonly texts: readonly string[] }
  | { readonly kind: 'split'; readonly texts: readonly string[] }
  /** Where the last `tokensMax` tokens of each text begin. */
  | { readonly kind: 'tail'; readonly texts: readonly string[]; readonly tokensMax: number }
  | { readonly kind: 'decode'; readonly ids: readonly number[] }
  | { readonly kind: 'list'; readonly texts: readonly string[] }

export interface TokenJob {
  readonly id: number
  /** Jobs of one lane are done in their order; lanes take turns. */
  readonly lane: string
  readonly work: TokenWork
}

/** The tokens of a text as items of a JSON list, which costs the receiver less than the items do. */
export interface TokenList {
  readonly json: string
  readonly count: number
}

/** Numbers for `count` and `tail`, pieces for `split`, a text or undefined for `decode`, lists for `list`. */
export type TokenResult = readonly number[] | readonly (readonly Piece[])[] | readonly TokenList[] | string | undefined

export type TokenAnswer =
  | { readonly id: number; readonly result: TokenResult }
  | { readonly id: number; readonly failure: string }
