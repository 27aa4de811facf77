/** Ids that carry the moment at which they were made, so that what they name is found without an index on them. */

const madeHere = /^[a-z]+_([0-9a-f]{12})7[0-9a-f]{19}$/

/** Random bytes for many ids at once, as text: ten bytes each. */
const idsAtOnce = 512
const bytesEach = 10
const bytes = Buffer.alloc(idsAtOnce * bytesEach)
let randomDigits = ''
let at = 0

/** A new id with this prefix: a UUID of version 7 (RFC 9562) without its dashes. */
export function newTimedId(prefix: string): string {
  if (at >= randomDigits.length) refill()
  // The first digit of each ten bytes is left over.
  const random = randomDigits.slice(at + 1, at + 2 * bytesEach)
  at += 2 * bytesEach
  return `${prefix}_${Date.now().toString(16).padStart(12, '0')}7${random}`
}

function refill(): void {
  crypto.getRandomValues(bytes)
  // The variant stands after the three digits that follow the version.
  for (let each = 2; each < bytes.length; each += bytesEach) bytes[each] = ((bytes[each] ?? 0) & 0x3f) | 0x80
  randomDigits = bytes.toString('hex')
  at = 0
}

/** When the id was made, in milliseconds since 1970; null for an id that says nothing of it. */
export function momentOfId(id: string): number | null {
  const digits = madeHere.exec(id)?.[1]
  return digits === undefined ? null : Number.parseInt(digits, 16)
}
