/** Searches and texts for tests of the store of documents. */
import { expect } from 'bun:test'
import type { NewChunk } from '#store/documents/document-chunks.ts'
import type { DocumentStore, FindQuery, NewDocument } from '#store/documents/document-store.ts'
import { aChunk, aDocument, complete, everything } from './store-documents.ts'

export function find(documents: DocumentStore, query: Partial<FindQuery>): ReturnType<DocumentStore['find']> {
  return documents.find({ viewer: everything, filter: {}, keywords: null, vectors: [], limit: 10, ...query })
}

/** Texts of what the words find, the best first. */
export async function textsOf(
  documents: DocumentStore,
  keywords: string,
  query: Partial<FindQuery> = {},
): Promise<readonly string[]> {
  const { keyword } = await find(documents, { ...query, keywords })
  expect(keyword.map(({ score }) => score)).toEqual(keyword.map(({ score }) => score).toSorted((a, b) => b - a))
  const found = await documents.chunksInContext(
    keyword.map(({ row }) => row),
    query.viewer ?? everything,
    0,
  )
  return found.map(({ text }) => text)
}

export async function withTexts(
  documents: DocumentStore,
  texts: readonly (string | Partial<NewChunk>)[],
  document: Partial<NewDocument> = {},
): Promise<void> {
  await complete(
    documents,
    aDocument(document),
    texts.map((text, ordinal) => aChunk(ordinal, typeof text === 'string' ? { text } : text)),
  )
}

/** Numbers from 0 to 1, the same at every run. */
export function fixedNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
