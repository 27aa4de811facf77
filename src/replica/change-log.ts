/** How changes are written into the log that all processes read. */
import type { Change } from './change.ts'

/** Every change that there can be: what is applied when it is not known which ones were. */
export const everything: readonly Change[] = [{ kind: 'directory' }, { kind: 'catalog' }, { kind: 'settings' }]

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
  const wholeDirectory = changes.some((change) => change.kind === 'directory')
  const kept = new Map<string, Change>()
  for (const change of changes) {
    const included = wholeDirectory && (change.kind === 'user' || change.kind === 'key')
    if (!included) kept.set(`${change.kind} ${'id' in change ? change.id : ''}`, change)
  }
  return [...kept.values()]
}

const kinds: Readonly<Record<Change['kind'], true>> = {
  user: true,
  key: true,
  directory: true,
  catalog: true,
  settings: true,
}

function isKnown({ kind }: Change): boolean {
  return Object.hasOwn(kinds, kind)
}
