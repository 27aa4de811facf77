/** What the tool `file_search` asks of the vector stores; src/app.ts brings the two together. */
import type { Caller } from '#identity/records.ts'
import type { FileSearchSpec } from '../request/file-search-tool.ts'

export interface FilesQuery {
  readonly caller: Caller
  readonly spec: FileSearchSpec
  /** None only looks whether the stores may be searched. */
  readonly queries: readonly string[]
  readonly signal: AbortSignal
}

export interface FoundPassage {
  readonly fileId: string
  readonly filename: string
  readonly attributes: Readonly<Record<string, string | number | boolean>> | null
  readonly score: number
  readonly text: string
}

/** The best passages, the best first. Rejects with the ApiError to answer. */
export type SearchFiles = (query: FilesQuery) => Promise<readonly FoundPassage[]>
