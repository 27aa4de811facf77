/**
 * Where this browser keeps what people make in the playground: entries of the localStorage, each under a key with the user's
 * id. What is kept is of one browser; the server does not have it. Other users of the same browser profile can read it, so a
 * sign-out asks whether it stays.
 */

/** The place; a `Storage` of the browser. */
export type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const kinds = ['conversation', 'preset'] as const
export type KeptKind = (typeof kinds)[number]

/** What the keys of a user's entries begin with. */
export function prefixOf(kind: KeptKind, userId: string): string {
  return `sluice.${kind}.${userId}.`
}

/** The ids of a user's entries. */
export function keptIds(place: Place, kind: KeptKind, userId: string): readonly string[] {
  const prefix = prefixOf(kind, userId)
  const names = Array.from({ length: place.length }, (_, index) => place.key(index) ?? '')
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
}

/** How many entries of each kind a user has. */
export function countKept(place: Place, userId: string): Readonly<Record<KeptKind, number>> {
  const count = (kind: KeptKind): number => keptIds(place, kind, userId).length
  return { conversation: count('conversation'), preset: count('preset') }
}

/** Deletes all entries of a user. */
export function forgetKept(place: Place, userId: string): void {
  for (const kind of kinds) for (const id of keptIds(place, kind, userId)) place.removeItem(prefixOf(kind, userId) + id)
}

/** A unique id. `crypto.randomUUID` exists on https and localhost only. */
export function newId(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}
