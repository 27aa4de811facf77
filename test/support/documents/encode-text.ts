/** Text in old encodings, by turning the decoders of the runtime around. */

/** Bytes of each character, by the Encoding Standard's label. */
const tables = new Map<string, ReadonlyMap<string, readonly number[]>>()

const lead = { from: 0x81, to: 0xfe }
const trail = { from: 0x40, to: 0xfe }

function tableOf(label: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(label)
  if (known !== undefined) return known
  const decoder = new TextDecoder(label as Bun.Encoding, { fatal: true })
  const table = new Map<string, readonly number[]>()
  const add = (...bytes: number[]): void => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes))
      if (Array.from(character).length === 1 && !table.has(character)) table.set(character, bytes)
    } catch {
      // Not a character of this encoding.
    }
  }
  for (let byte = 0; byte < 256; byte += 1) add(byte)
  for (let first = lead.from; first <= lead.to; first += 1)
    for (let second = trail.from; second <= trail.to; second += 1) add(first, second)
  tables.set(label, table)
  return table
}

/** The text in an encoding that has no states. Throws when the encoding lacks a character. */
export function encodeText(text: string, label: string): Buffer {
  const table = tableOf(label)
  return Buffer.from(
    Array.from(text).flatMap((character) => {
      const bytes = table.get(character)
      if (bytes === undefined) throw new RangeError(`${label} has no ${character}`)
      return bytes
    }),
  )
}

/** The text in ISO-2022-JP (RFC 1468): what EUC-JP writes with high bits, between escape sequences. */
export function encodeIso2022Jp(text: string): Buffer {
  let isDouble = false
  const bytes = Array.from(text).flatMap((character) => {
    const encoded = [...encodeText(character, 'euc-jp')]
    const escape = encoded.length > 1 === isDouble ? [] : [0x1b, ...Buffer.from(isDouble ? '(B' : '$B')]
    isDouble = encoded.length > 1
    return [...escape, ...encoded.map((byte) => byte & 0x7f)]
  })
  return Buffer.from(isDouble ? [...bytes, 0x1b, ...Buffer.from('(B')] : bytes)
}
