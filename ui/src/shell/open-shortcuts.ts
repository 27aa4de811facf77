/** Opens the list of keyboard shortcuts from anywhere in the console. */

const opening = 'sluice:shortcuts'

/** Opens the list from anywhere in the console. */
export function openShortcuts(): void {
  window.dispatchEvent(new Event(opening))
}

/** Calls back when the list is to open; answers what ends that. */
export function onOpenShortcuts(open: () => void): () => void {
  window.addEventListener(opening, open)
  return () => window.removeEventListener(opening, open)
}
