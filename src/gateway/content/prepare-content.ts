/**
 * What is kept of the bytes of a request or an answer. Runs on a thread of its own: bodies have many megabytes, and every
 * text in them is searched.
 */
import { assembleStream } from './assemble-stream.ts'
import { binaryNote, keptValue } from './content-value.ts'
import { redaction, type RedactionRules } from './redaction.ts'

export interface RawContent {
  readonly bytes: Uint8Array
  /** Length of what was sent, of which `bytes` is the beginning. */
  readonly length: number
}

export interface PreparedContent {
  readonly text: string
  /** Some of it is missing. */
  readonly cut: boolean
}

export interface PreparingRules extends RedactionRules {
  readonly bytesMax: number
}

type Prepare = (raw: RawContent) => PreparedContent

/** The JSON or text that is kept. Never throws for what the bytes are. */
export function preparing(rules: PreparingRules): Prepare {
  const cutOut = redaction(rules)
  return ({ bytes, length }) => {
    const isWhole = length === bytes.byteLength
    const text = textOf(bytes, isWhole)
    if (text === null) return { text: JSON.stringify(`[binary data, ${length} bytes]`), cut: !isWhole }
    const value = valueOf(text)
    const kept = value === undefined ? (binaryNote(text) ?? cutOut(text)) : JSON.stringify(keptValue(value, cutOut))
    const bounded = boundedText(kept, rules.bytesMax)
    return { text: bounded, cut: !isWhole || bounded.length < kept.length }
  }
}

/** Null for bytes that are not text. */
function textOf(bytes: Uint8Array, isWhole: boolean): string | null {
  try {
    // The beginning of a longer text can end inside a character.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** Undefined for what is neither JSON nor events. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return assembleStream(text) ?? undefined
  }
}

/** A beginning of at most this size in UTF-8, never half a character. */
function boundedText(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  let end = bytesMax
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}
