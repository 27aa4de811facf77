/**
 * What the `bytes` field of a file item stands for: base64 in either alphabet, with a data URL's
 * prefix or without; anything else is the text itself, unless `encoding` says which of the two it is.
 */
import { base64Source, bytesSource, type MemorySource } from './byte-source.ts'

export type ItemEncoding = 'base64' | 'utf-8'

export type ItemContent =
  | { readonly kind: 'content'; readonly source: MemorySource }
  /** `encoding` says base64, or a data URL does, and it is not. */
  | { readonly kind: 'not_base64' }

const dataUrl = /^data:[^,]{0,255};base64,/i
const backslash = 0x5c

/** `raw` is the text between the quotes of the JSON string, in UTF-8. Throws SyntaxError when that is not one. */
export function itemContent(raw: Buffer, encoding: ItemEncoding | null): ItemContent {
  if (encoding === 'utf-8') return { kind: 'content', source: bytesSource(unescaped(raw)) }
  // Only a string with escapes has to be built to be read; base64 from most clients has none.
  const bytes = raw.includes(backslash) ? unescaped(raw) : raw
  const prefix = dataUrl.exec(bytes.toString('latin1', 0, 300))
  const encoded = prefix === null ? bytes : bytes.subarray(prefix[0].length)
  const source = base64Source(isWrapped(encoded, encoding) ? unwrapped(encoded) : encoded)
  if (source !== null) return { kind: 'content', source }
  if (encoding === 'base64' || prefix !== null) return { kind: 'not_base64' }
  return { kind: 'content', source: bytesSource(unescaped(raw)) }
}

function unescaped(raw: Buffer): Buffer {
  return Buffer.from(JSON.parse(`"${raw.toString()}"`) as string)
}

/** Line ends that an encoder put in (RFC 2045 section 6.8): lines of one length, which no text has. */
function isWrapped(encoded: Buffer, encoding: ItemEncoding | null): boolean {
  if (!encoded.includes(0x0a)) return false
  if (encoding === 'base64') return true
  const lines = encoded.toString('latin1', 0, 1000).replaceAll('\r', '').split('\n')
  const width = lines[0]?.length ?? 0
  return width >= 60 && width % 4 === 0 && lines.slice(0, -1).every((each) => each.length === width)
}

function unwrapped(encoded: Buffer): Buffer {
  return Buffer.from(encoded.toString('latin1').replaceAll(/\s+/g, ''), 'latin1')
}
