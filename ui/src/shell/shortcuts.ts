/**
 * Keyboard shortcuts: "?" lists them, "g" and a letter goes to a page, "/" to the search of the page. None acts while
 * a person types, or over an open dialog. Nothing here touches the page.
 */
/** The letter after "g" for each page. */
export const pageKeys = [
  ['o', '/', 'Overview'],
  ['m', '/models', 'Models'],
  ['p', '/playground', 'Playground'],
  ['d', '/documents', 'Documents'],
  ['k', '/keys', 'API Keys'],
  ['a', '/usage', 'Usage'],
  ['c', '/cost', 'Cost'],
  ['r', '/requests', 'Requests'],
  ['u', '/users', 'Users'],
  ['s', '/settings', 'Settings'],
] as const

/** Keys that act everywhere, and what they do. */
export const otherKeys: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Ctrl', 'K'], 'Find a page, a model, a user, a key, a document, a request, a setting or an action'],
  [['/'], 'Go to the search of the page; in the playground, to your message'],
  [['?'], 'Show this list'],
  [['↑', '↓'], 'Walk the rows of a table; Home and End go to the ends'],
  [['Space'], 'Select the row'],
  [['Enter'], 'Open the row; in a chart, show the time of the point'],
  [['←', '→'], 'Walk the points of a chart'],
  [['Shift', 'Enter'], 'Start a line in your message; Enter sends it'],
  [['Ctrl', 'Enter'], 'Send the form of a tab of the playground'],
  [['Esc'], 'Close a dialog or a source; in your message, stop the answer'],
]

export type Shortcut =
  | { readonly kind: 'list' }
  | { readonly kind: 'search' }
  | { readonly kind: 'go'; readonly path: (typeof pageKeys)[number][1] }

const leaderMs = 1500

/** Reads keys one by one; a page's letter counts for a moment after "g". */
export class ShortcutReader {
  #leaderAt = Number.NEGATIVE_INFINITY

  /** @param at milliseconds of any clock that only goes forward */
  read(key: string, at: number): Shortcut | null {
    const isAfterLeader = at - this.#leaderAt < leaderMs
    this.#leaderAt = key === 'g' && !isAfterLeader ? at : Number.NEGATIVE_INFINITY
    if (isAfterLeader) {
      const path = pageKeys.find(([letter]) => letter === key)?.[1]
      return path === undefined ? null : { kind: 'go', path }
    }
    if (key === '?') return { kind: 'list' }
    return key === '/' ? { kind: 'search' } : null
  }
}
