/** Text as both engines can hold it: PostgreSQL refuses NUL, and neither has half a surrogate pair. */

/** The text with as many code points as before; what cannot be stored becomes U+FFFD. */
export function plainText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}

/** As plainText; null stays null. */
export function plainTextOrNull(text: string | null): string | null {
  return text === null ? null : plainText(text)
}
