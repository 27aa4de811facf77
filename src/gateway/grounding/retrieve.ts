/** What a chat over documents asks of the search, and what it gets back: src/app.ts brings the two together. */
import type { Caller } from '#identity/records.ts'
import type { DocumentsSpec } from '../request/documents-field.ts'

/** A piece of a document that fits the question. */
export interface RetrievedChunk {
  readonly docId: string
  /** The document's name; null when it was imported without one. */
  readonly name: string | null
  /** Null where the format has no pages. */
  readonly page: number | null
  readonly headingPath: readonly string[]
  /** Offsets in the document's text, end exclusive. */
  readonly start: number
  readonly end: number
  readonly text: string
  readonly tokens: number
}

export interface Retrieval {
  readonly caller: Caller
  /** Messages with a text, clipped; the last one is the user's. */
  readonly turns: readonly Turn[]
  /** Canonical name of the model of the chat. */
  readonly model: string
  readonly spec: DocumentsSpec
  readonly signal: AbortSignal
}

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

export interface Retrieved {
  /** The best first. */
  readonly chunks: readonly RetrievedChunk[]
  /** What was searched for. */
  readonly query: string
  /** One sentence each: what could not be done and why. */
  readonly warnings: readonly string[]
}

/** The best passages that the caller may see. Rejects with the ApiError to answer. */
export type Retrieve = (retrieval: Retrieval) => Promise<Retrieved>
