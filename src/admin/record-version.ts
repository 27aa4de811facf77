/**
 * Which version of a record a request is about. A version is a digest of what a change can set, not a number that is
 * counted: so every writer changes it, also a process of the release before, and nothing is stored for it.
 */
import { z } from '#lib/schema.ts'
import type { Sealer } from '#lib/seal.ts'
import type { Check } from '#store/checked-change.ts'

/** The field of a record that has its version, as it is sent in `If-Match`. */
export const etag = z
  .string()
  .describe(
    'Another one after each change of what can be set. As `If-Match`, it makes a change of another version fail with 409',
  )

/** A record whose version the answer names. */
export interface Versioned {
  readonly etag: string
}

/** The record is in another version than the request expects. */
export class OtherVersion extends Error {
  override readonly name = 'OtherVersion'
}

const digestCharacters = 22

/** The version of a record with these fields; those that are undefined do not count. */
export function versionOf(fields: object): string {
  return quoted(new Bun.CryptoHasher('sha256').update(canonical(fields)).digest('base64url'))
}

/** The same for fields with secrets: without the key, nobody can tell from it whether a guess of one is right. */
export function sealedVersionOf(sealer: Sealer, fields: object): string {
  return quoted(sealer.digest(canonical(fields), 'record version'))
}

/** An entity tag (RFC 9110, section 8.8.3): the quotes are part of it. */
function quoted(digest: string): string {
  return `"${digest.slice(0, digestCharacters)}"`
}

/** JSON with the names of every object in one order: engines and merges of changes keep others. */
function canonical(fields: object): string {
  return JSON.stringify(fields, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** A check of a record's version, as the store runs it beside the change; undefined where any version will do. */
export type Unchanged = <Found>(version: (found: Found) => string) => Check<Found> | undefined

/**
 * What `If-Match` asks for (RFC 9110, section 13.1.1). Without it, and with `*`, any version will do; a weak tag matches
 * none.
 */
export function unchangedBy(headers: Headers): Unchanged {
  const wanted = headers.get('if-match')?.trim()
  if (wanted === undefined || wanted === '*') return () => undefined
  const tags = new Set(wanted.split(',').map((tag) => tag.trim()))
  return (version) => (found) => {
    if (!tags.has(version(found))) throw new OtherVersion()
  }
}

/** Another change came between the reading of a record and its change. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/** More often it is not overtaken unless something writes all the time. */
const turnsMax = 20

/**
 * Runs a change whose parts were worked out from a record, and works it out again when another change came between.
 * `change` gives the store `same` of the record that it has read.
 */
export async function fromCurrent<Found, Answer>(
  version: (found: Found) => string,
  unchanged: Unchanged,
  change: (same: (read: Found) => Check<Found>) => Promise<Answer>,
): Promise<Answer> {
  const asked = unchanged(version)
  const same = (read: Found) => (found: Found) => {
    asked?.(found)
    if (version(found) !== version(read)) throw new Overtaken()
  }
  for (let turn = 1; ; turn += 1) {
    try {
      return await change(same)
    } catch (thrown) {
      if (!(thrown instanceof Overtaken)) throw thrown
      if (turn === turnsMax) throw new OtherVersion()
    }
  }
}
