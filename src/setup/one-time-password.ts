/** A password that Sluice chooses, to be read from a terminal and typed once. */

/** Without i, l, o and u, which look like other characters or make words. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 80 random bits in four groups of four characters. */
export function oneTimePassword(): string {
  const characters = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => alphabet.charAt(byte % 32))
  return [0, 4, 8, 12].map((start) => characters.slice(start, start + 4).join('')).join('-')
}
