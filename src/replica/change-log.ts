/** How changes are written into the log that all processes read. */
import type { Change, ChangeKind } from './change.ts'

/** All that memory holds. */
export const everything = [{ kind: 'directory' }, { kind: 'catalog' }, { kind: 'settings' }] as const satisfies Change[]

/** The changes of one publication as an entry of the log. */
export function writeEntry(changes: readonly Change[]): string {
  return JSON.stringify(changes)
}

/** The changes of several entries. A kind that only a later version of Sluice knows reads as everything. */
export function readEntries(entries: readonly string[]): readonly Change[] {
  const changes = entries.flatMap((entry) => JSON.parse(entry) as readonly Change[])
  return changes.every(isKnown) ? distinct(changes) : everything
}

/**
 * Each change once, the wider in place of what it includes. Changes carry no data, so applying them
 * once at the end is the same as one after the other.
 */
export function distinct(changes: readonly Change[]): readonly Change[] {
  const kinds = new Set(changes.map(({ kind }) => kind))
  const kept = new Map<string, Change>()
  for (const change of changes) {
    const wider = widerKinds[change.kind]
    if (wider === null || !kinds.has(wider)) kept.set(changeKey(change), change)
  }
  return [...kept.values()]
}

/** The same text for two changes of the same entity, and for no others. */
export function changeKey(change: Change): string {
  return `${change.kind} ${'id' in change ? change.id : ''}`
}

/** The kind of change that includes each kind. */
const widerKinds: Readonly<Record<ChangeKind, ChangeKind | null>> = {
  user: 'directory',
  key: 'directory',
  directory: null,
  model: 'catalog',
  provider: 'catalog',
  catalog: null,
  settings: null,
  unknown: null,
}

function isKnown({ kind }: Change): boolean {
  return Object.hasOwn(widerKinds, kind)
}
