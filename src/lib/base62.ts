/** Numbers as fixed-length text of digits and letters, most significant first: 0-9, A-Z, a-z. */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A non-negative integer in exactly `length` characters, padded with zeros. Throws when it does not fit. */
export function base62(value: number, length: number): string {
  let rest = value
  let text = ''
  while (text.length < length) {
    text = alphabet.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  if (rest !== 0) throw new RangeError(`the value needs more than ${length} base62 characters`)
  return text
}

/** `byteCount` cryptographically random bytes as text of `length` characters, which must be enough for them. */
export function randomBase62(byteCount: number, length: number): string {
  let rest = BigInt(`0x${crypto.getRandomValues(new Uint8Array(byteCount)).toHex()}`)
  let text = ''
  while (text.length < length) {
    text = alphabet.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  if (rest !== 0n) throw new RangeError(`${byteCount} bytes need more than ${length} base62 characters`)
  return text
}
