/** The ways of searching that a request can ask for. */
import { searchModes, type SearchMode } from './search-modes.ts'

/** `auto`: by both where a model has embedded the documents, by words where none has. */
export const askedModes = ['auto', ...searchModes] as const

export type AskedMode = 'auto' | SearchMode

export const askedModeWords =
  'By meaning (vector), by words (keyword), or by both (hybrid); auto: by both, or by words where no model has embedded the documents'
