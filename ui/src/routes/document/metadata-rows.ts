/** Metadata as rows of a form, and the change that the rows make. */

export interface MetadataRow {
  readonly name: string
  /** As it is typed. */
  readonly text: string
}

type Metadata = Readonly<Record<string, unknown>>

/** Texts that would be read as something else are in quotes. */
export function rowsOf(metadata: Metadata): readonly MetadataRow[] {
  return Object.entries(metadata).map(([name, value]) => ({
    name,
    text: typeof value === 'string' && valueOf(value) === value ? value : JSON.stringify(value),
  }))
}

/** A value as it was typed: JSON where it is that, and else a text. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** A merge patch (RFC 7396): what is not in the rows any more is set to null. Rows without a name say nothing; of two with one name the last counts. */
export function patchOf(before: Metadata, rows: readonly MetadataRow[]): Record<string, unknown> {
  const named = rows.filter(({ name }) => name.trim() !== '')
  const after = new Map(named.map(({ name, text }) => [name.trim(), valueOf(text)]))
  const patch: Record<string, unknown> = {}
  for (const name of Object.keys(before)) if (!after.has(name)) patch[name] = null
  for (const [name, value] of after) {
    const old = before[name]
    if (JSON.stringify(old) === JSON.stringify(value)) continue
    patch[name] = isObject(old) && isObject(value) ? patchOfObjects(old, value) : value
  }
  return patch
}

/** A patch merges objects, so that what is gone from one has to be named. */
function patchOfObjects(before: Metadata, after: Metadata): Record<string, unknown> {
  const gone = Object.keys(before).filter((name) => !(name in after))
  const kept = Object.entries(after).map(([name, value]): [string, unknown] => {
    const old = before[name]
    return [name, isObject(old) && isObject(value) ? patchOfObjects(old, value) : value]
  })
  return Object.fromEntries([...gone.map((name): [string, unknown] => [name, null]), ...kept])
}

function isObject(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
