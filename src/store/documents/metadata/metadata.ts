/**
 * The metadata of a document: a JSON object of any shape within bounds, and the fields that a filter looks at. A field
 * is a value with the path to it, its keys joined by points; each value of a list is a field of its own. Both engines
 * hold fields as rows of a table, so the same filter finds the same documents on either.
 */
import { isObject } from '#lib/json-value.ts'
import { plainText } from '../plain-text.ts'

export type Metadata = Readonly<Record<string, unknown>>
export type MetadataValue = string | number | boolean | null

/** What a document may have; texts longer than `textMax` are kept, but no filter compares them. */
export const metadataBounds = { bytes: 16_384, depth: 5, fields: 256, keyMax: 128, textMax: 512 } as const

/** As they are stored: never renumber. */
export const fieldKinds = { text: 1, number: 2, truth: 3, nothing: 4, structure: 5, longText: 6 } as const

export interface MetadataField {
  readonly key: string
  readonly kind: number
  readonly text: string | null
  readonly number: number | null
}

/** A value in the metadata of documents, and how many have it. */
export interface Facet {
  readonly key: string
  readonly value: MetadataValue
  readonly documents: number
}

/** What is wrong with metadata, as the end of a sentence about it; null when nothing is. */
export function metadataFault(value: unknown): string | null {
  if (!isObject(value)) return 'must be an object'
  const { bytes, depth, fields, keyMax } = metadataBounds
  let count = 0
  const waiting: (readonly [value: unknown, key: string, level: number])[] = [[value, '', 0]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [each, key, level] = next
    if ((count += 1) > fields + 1) return `may have at most ${fields} values`
    if (key.length > keyMax) return `may have keys of at most ${keyMax} characters, with the keys around them`
    if (typeof each === 'number' && !Number.isFinite(each)) return 'has a number that is too large'
    if (typeof each !== 'object' || each === null) continue
    if (level >= depth) return `may be at most ${depth} levels deep`
    const entries = Object.entries(each)
    if (count + waiting.length + entries.length > fields + 1) return `may have at most ${fields} values`
    for (const [name, inner] of entries) {
      if (name === '') return 'may not have an empty key'
      waiting.push([inner, Array.isArray(each) ? key : pathOf(key, name), level + 1])
    }
  }
  return Buffer.byteLength(JSON.stringify(value)) > bytes ? `may have at most ${bytes} bytes as JSON` : null
}

/** What filters compare, each once. */
export function fieldsOf(metadata: Metadata): readonly MetadataField[] {
  const fields = new Map<string, MetadataField>()
  const add = (value: unknown, key: string): void => {
    const field = { key, ...stored(value) }
    fields.set(JSON.stringify(field), field)
    if (Array.isArray(value)) for (const each of value) add(each, key)
    else if (isObject(value)) for (const [name, inner] of Object.entries(value)) add(inner, pathOf(key, name))
  }
  for (const [name, value] of Object.entries(metadata)) add(value, plainText(name))
  return [...fields.values()]
}

/** A value as a field holds it. */
export function stored(value: unknown): Omit<MetadataField, 'key'> {
  const { text, number, truth, nothing, structure, longText } = fieldKinds
  if (typeof value === 'string') {
    return value.length > metadataBounds.textMax
      ? { kind: longText, text: null, number: null }
      : { kind: text, text: plainText(value), number: null }
  }
  // -0 is 0.
  if (typeof value === 'number') return { kind: number, text: null, number: value + 0 }
  if (typeof value === 'boolean') return { kind: truth, text: null, number: Number(value) }
  return { kind: value === null ? nothing : structure, text: null, number: null }
}

/** The value of a field that has one. */
export function valueOf({ kind, text, number }: Omit<MetadataField, 'key'>): MetadataValue {
  if (kind === fieldKinds.text) return text
  return kind === fieldKinds.truth ? number === 1 : number
}

/** A merge patch (RFC 7396): keys that are named are set, those set to null are removed. */
export function patched(metadata: Metadata, patch: Metadata): Metadata {
  const after = new Map(Object.entries(metadata))
  for (const [name, value] of Object.entries(patch)) {
    const before = after.get(name)
    if (value === null) after.delete(name)
    else after.set(name, isObject(value) ? patched(isObject(before) ? before : {}, value) : value)
  }
  return Object.fromEntries(after)
}

/**
 * The metadata of a document whose file was read (again): what the file states now takes the place of what it stated
 * before, and never of what people have set.
 */
export function withStated(metadata: Metadata, before: Metadata, stated: Metadata): Metadata {
  const isOld = (name: string, value: unknown): boolean => JSON.stringify(before[name]) === JSON.stringify(value)
  let merged: Metadata = Object.fromEntries(Object.entries(metadata).filter(([name, value]) => !isOld(name, value)))
  for (const [name, value] of Object.entries(stated).slice(0, metadataBounds.fields)) {
    if (Object.hasOwn(merged, name)) continue
    const more = { ...merged, [name]: value }
    if (metadataFault(more) === null) merged = more
  }
  return merged
}

function pathOf(around: string, name: string): string {
  return around === '' ? plainText(name) : `${around}.${plainText(name)}`
}
