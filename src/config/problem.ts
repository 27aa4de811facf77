/**
 * What is wrong with a configuration, as data: the command line prints it, tests read it.
 * The value is shown as it was written, before `${NAME}` is replaced, and never for a secret.
 */

export interface Problem {
  /** Dotted name of the setting, or the path of a declared entity's field. */
  readonly name: string
  /** Where the value was found: `sluice.yaml: server.port`, `SLUICE_SERVER_PORT`, `--set`. */
  readonly source: string
  /** Printable; null when it is a secret or when there is none. */
  readonly value: string | null
  /** What is wrong, or what would have been right. */
  readonly expected: string
  /** What to do about it. */
  readonly remedy: string
}

const shownLength = 80

/** The problem in one line, for a terminal. */
export function problemText(problem: Problem): string {
  const value = problem.value === null ? '' : ` ${problem.value}:`
  const where = problem.source === problem.name ? '' : ` (${problem.source})`
  return `${problem.name}${where}:${value} ${problem.expected}. ${problem.remedy}`
}

/** A value made printable: short, without control characters, without the password of a URL. */
export function shownValue(value: unknown): string {
  if (value !== null && typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a mapping'
  if (typeof value !== 'string') return String(value)
  const masked = maskUrlPassword(value)
  return JSON.stringify(masked.length > shownLength ? `${masked.slice(0, shownLength)}…` : masked)
}

/** A URL, or any text that holds one, with the part between `user:` and `@`, and `password=…`, hidden. */
export function maskUrlPassword(text: string): string {
  return text
    .replace(/(:\/\/[^/?#:@\s]*):[^\s]*@/, '$1:[secret]@')
    .replace(/([?&](?:password|sslpassword)=)[^&\s]*/gi, '$1[secret]')
}
