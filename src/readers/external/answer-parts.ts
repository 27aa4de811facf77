/** What the answers of several kinds of readers have in common: their JSON, and their pages. */
import { ReadFailure } from '../reading.ts'
import type { TextBuilder } from '../text-builder.ts'

/** Adds the content of an answer. Throws ReadFailure. */
export type AppendAnswer = (builder: TextBuilder, answer: Uint8Array) => { readonly title: string | null }

/** The JSON of an answer. Throws ReadFailure `damaged`. */
export function jsonOf(answer: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(answer))
  } catch (thrown) {
    throw malformed(thrown)
  }
}

export function malformed(cause?: unknown): ReadFailure {
  return new ReadFailure('damaged', 'The answer of the reader is not of the form that its kind has.', cause)
}

/** Begins pages until this one; what is not a page number, or one that has passed, changes nothing. */
export function toPage(builder: TextBuilder, page: unknown, label: string | null = null): void {
  if (!Number.isSafeInteger(page)) return
  while (builder.pageCount < Number(page)) builder.page(builder.pageCount + 1 === page ? label : null)
}
