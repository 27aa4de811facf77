/**
 * Where the `$ref`s of a JSON schema lead. Each must lead to a part of the schema that is one itself,
 * and not back to where it stands by references alone: such a schema has no end.
 */
import { isObject, type JsonValue } from '#lib/json-value.ts'

export interface References {
  /** Every schema with a `$ref`, and what it says; it begins with `#`. */
  readonly pointers: Map<JsonValue, string>
  /** Schemas by their `$anchor`. */
  readonly anchors: Map<string, JsonValue>
}

/** What is wrong with them, or null. */
export function checkReferences(root: JsonValue, references: References): string | null {
  // Where a chain of references has been followed until it ended.
  const ending = new Set<JsonValue>()
  for (const start of references.pointers.keys()) {
    const chain = new Set<JsonValue>()
    for (let at: JsonValue = start; ;) {
      const pointer = references.pointers.get(at)
      if (pointer === undefined || ending.has(at)) break
      if (chain.has(at)) return 'a "$ref" in it leads back to itself'
      chain.add(at)
      const next = targetOf(root, pointer, references)
      if (next === undefined) return 'a "$ref" in it leads nowhere'
      at = next
    }
    for (const each of chain) ending.add(each)
  }
  return null
}

/** The schema that a reference names; undefined for none. */
function targetOf(root: JsonValue, pointer: string, { anchors }: References): JsonValue | undefined {
  const target = pointer === '#' || pointer.startsWith('#/') ? partOf(root, pointer) : anchors.get(pointer.slice(1))
  return typeof target === 'boolean' || (target !== undefined && isObject(target)) ? target : undefined
}

/** What a JSON pointer in a URL fragment leads to (RFC 6901 section 6). */
function partOf(root: JsonValue, pointer: string): JsonValue | undefined {
  let at: JsonValue | undefined = root
  for (const encoded of pointer.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined
    const name = unescaped(encoded)
    if (name === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Readonly<Record<string, JsonValue>>)[name]
  }
  return at
}

function unescaped(name: string): string | null {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return null
  }
}
