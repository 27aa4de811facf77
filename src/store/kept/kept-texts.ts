/**
 * The texts of kept responses and conversations: sealed under the secret key, each bound to its place. A
 * long text is cut into pieces, between which other work has its turn.
 */
import type { Transaction } from 'kysely'
import type { Sealer } from '#lib/seal.ts'
import type { Tables } from '../schema.ts'

/** Where a text belongs. Several texts of one owner and kind follow each other by their positions. */
export interface TextPlace {
  readonly ownerId: string
  readonly kind: string
  /** The place of the first piece; 0 when left out. */
  readonly position?: number
}

/** A text, sealed piece by piece, ready to be written. */
export interface SealedText {
  readonly place: Required<TextPlace>
  readonly pieces: readonly string[]
  /** What its pieces take in the database. */
  readonly bytes: number
}

/** UTF-16 units of a piece: sealing and writing one takes a few milliseconds. */
const pieceLength = 262_144

/** The text, sealed. */
export async function sealText(
  sealer: Sealer,
  { ownerId, kind, position = 0 }: TextPlace,
  text: string,
): Promise<SealedText> {
  const pieces: string[] = []
  let bytes = 0
  for (let from = 0; from < text.length || pieces.length === 0;) {
    if (from > 0) await turn()
    const to = pieceEnd(text, from)
    const sealed = sealer.seal(text.slice(from, to), contextOf(ownerId, kind, position + pieces.length))
    pieces.push(sealed)
    bytes += sealed.length
    from = to
  }
  return { place: { ownerId, kind, position }, pieces, bytes }
}

/** Writes sealed texts in the transaction of their owner. */
export async function writeTexts(trx: Transaction<Tables>, texts: readonly SealedText[]): Promise<void> {
  for (const { place, pieces } of texts) {
    for (const [index, sealed] of pieces.entries()) {
      if (index > 0) await turn()
      const { ownerId, kind, position } = place
      await trx
        .insertInto('kept_texts')
        .values({ owner_id: ownerId, kind, position: position + index, sealed })
        .execute()
    }
  }
}

/** One row of a text. */
export interface TextRow {
  readonly owner_id: string
  readonly kind: string
  readonly position: number
  readonly sealed: string
}

/** The text in rows that stand in their order. Throws SealError for one that was changed, or sealed with another key. */
export async function openText(sealer: Sealer, rows: readonly TextRow[]): Promise<string> {
  const pieces: string[] = []
  for (const { owner_id: ownerId, kind, position, sealed } of rows) {
    if (pieces.length > 0) await turn()
    pieces.push(sealer.open(sealed, contextOf(ownerId, kind, position)))
  }
  return pieces.join('')
}

/** The bytes of sealed texts together. */
export function bytesOf(texts: readonly SealedText[]): number {
  return texts.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Never in the middle of a surrogate pair, whose halves have no UTF-8. */
function pieceEnd(text: string, from: number): number {
  const end = Math.min(text.length, from + pieceLength)
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end
}

function contextOf(ownerId: string, kind: string, position: number): string {
  return `kept ${ownerId} ${kind} ${position}`
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
