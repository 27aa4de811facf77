/** Ids that carry the moment at which they were made, so that what they name is found without an index on them. */

const madeHere = /^[a-z]+_([0-9a-f]{12})7[0-9a-f]{19}$/

/** A new id with this prefix: a UUID of version 7 (RFC 9562) without its dashes. */
export function newTimedId(prefix: string): string {
  return `${prefix}_${Bun.randomUUIDv7().replaceAll('-', '')}`
}

/** When the id was made, in milliseconds since 1970; null for an id that says nothing of it. */
export function momentOfId(id: string): number | null {
  const digits = madeHere.exec(id)?.[1]
  return digits === undefined ? null : Number.parseInt(digits, 16)
}
