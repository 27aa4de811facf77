/** The body and the answer of POST /api/v1/search. */
import { z } from '#lib/schema.ts'
import type { StoredChunk } from '#store/documents/document-chunks.ts'
import { chunkAnswer, chunkOnWire } from '../records/document-record.ts'
import { askedModes, askedModeWords } from '#store/documents/search/asked-modes.ts'
import type { Facet } from '#store/documents/metadata/metadata.ts'
import { searchModes } from '#store/documents/search/search-modes.ts'
import { usualCandidates } from './rerank.ts'
import { filterOf } from './metadata-filter.ts'
import type { SearchHit } from './search-hit.ts'
import type { SearchQuery, SearchResult } from './search.ts'

const oneOrMore = (item: z.ZodType<string>) =>
  z.union([item, z.array(item).min(1, 'expected at least one').max(1000, 'expected at most 1000'), z.null()]).optional()

const name = z.string().min(1).max(255)

const rerankForm = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A rerank model of this gateway; that of the settings when left out'),
  candidates: z
    .int('expected a whole number')
    .min(1)
    .max(200)
    .default(usualCandidates)
    .describe('Passages that it reads; at least `top_k`'),
})

export const searchBody = z
  .strictObject({
    query: z
      .string()
      .max(20_000, 'expected at most 20000 characters')
      .refine((text) => text.trim() !== '', 'expected a question or words to look for'),
    top_k: z
      .int('expected a whole number')
      .min(1, 'expected at least 1')
      .max(200, 'expected at most 200')
      .default(10)
      .describe('Most hits'),
    mode: z.enum(askedModes).default('auto').describe(askedModeWords),
    window: z
      .union([z.int().min(0).max(10), z.literal('section')], 'expected a whole number from 0 to 10, or "section"')
      .default(0)
      .describe(
        'Neighbouring chunks on either side of each hit; "section" for those under the same heading, up to ten on either side',
      ),
    max_per_document: z
      .int('expected a whole number')
      .min(1)
      .max(200)
      .optional()
      .describe('Most hits of one document; others take the places'),
    category: oneOrMore(name).describe('Only documents of these categories'),
    owners: oneOrMore(name).describe('Only documents with one of these owners'),
    doc_id: oneOrMore(z.guid('expected an id (UUID)')).describe('Only these documents'),
    filter: z
      .looseObject({ type: z.string() })
      .nullish()
      .describe(
        'Only documents whose metadata this lets through: {"type": "eq", "key": "year", "value": 2024}; also ne, gt, gte, lt, lte, in, nin, range, exists, and, or, not',
      ),
    facets: z
      .array(z.string().min(1).max(128))
      .min(1)
      .max(10, 'expected at most 10')
      .nullish()
      .describe('Keys of metadata: the answer counts the documents that may be found by their values'),
    rerank: z
      .union([z.boolean(), rerankForm], 'expected true, false or an object with "model" and "candidates"')
      .optional()
      .describe(
        'Let a rerank model order the best candidates: true for the model of the settings, false for none; left out: as the settings say. Without an answer the order stays, with a warning',
      ),
  })
  .meta({ id: 'SearchRequest' })

const scorePart = z.strictObject({ score: z.number(), rank: z.int().describe('Place in this list, from 1') }).nullable()

const hit = z
  .strictObject({
    doc_id: z.string(),
    name: z.string().describe("The document's name"),
    title: z.string().nullable(),
    category: z.string(),
    metadata: z.looseObject({}).describe('That of the document'),
    ...chunkAnswer.shape,
    score: z.number().describe('Higher is better; 1 is first in every list. That of the rerank model, if there is one'),
    scores: z.strictObject({
      vector: scorePart.describe('Cosine similarity; null when it is not among the best by meaning'),
      keyword: scorePart.describe('null when it is not among the best by words'),
      rerank: scorePart.describe('null when no rerank model was asked, or it left the passage out'),
    }),
    before: z.array(chunkAnswer).describe('Neighbours before it, in the order of the text'),
    after: z.array(chunkAnswer),
  })
  .meta({ id: 'SearchHit' })

/** Documents by the values of some keys of their metadata. */
export const facetsAnswer = z.record(
  z.string(),
  z.array(
    z.strictObject({
      value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
      documents: z.int().describe('Documents that you see and the filters let through'),
    }),
  ),
)

export const searchAnswer = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(hit).describe('The best first'),
    mode: z.enum(searchModes).describe('How it was searched'),
    facets: facetsAnswer
      .optional()
      .describe('By key, the most frequent values first, at most 100 each; only when `facets` were asked for'),
    warnings: z.array(z.string()).describe('What could not be searched, and why'),
  })
  .meta({ id: 'SearchAnswer' })

export function searchQueryOf(body: z.output<typeof searchBody>): SearchQuery {
  return {
    text: body.query,
    mode: body.mode,
    topK: body.top_k,
    window: body.window,
    maxPerDocument: body.max_per_document,
    categories: listOf(body.category),
    owners: listOf(body.owners),
    documentIds: listOf(body.doc_id)?.map((id) => id.toLowerCase()),
    metadata: body.filter ? filterOf(body.filter, 'filter') : undefined,
    facets: body.facets ?? undefined,
    rerank: rerankOf(body.rerank),
  }
}

export function searchOnWire({ hits, mode, facets, warnings }: SearchResult): z.input<typeof searchAnswer> {
  const counts = facets && { facets: facetsOnWire(facets) }
  return { object: 'list', data: hits.map(hitOnWire), mode, ...counts, warnings: [...warnings] }
}

/** Key by key. */
export function facetsOnWire(facets: readonly Facet[]): z.input<typeof facetsAnswer> {
  const byKey = Map.groupBy(facets, ({ key }) => key)
  return Object.fromEntries(
    [...byKey].map(([key, some]) => [key, some.map(({ value, documents }) => ({ value, documents }))]),
  )
}

function hitOnWire({ chunk, score, vector, keyword, rerank }: SearchHit): z.input<typeof hit> {
  const neighbours = (chunks: readonly StoredChunk[]) => chunks.map(chunkOnWire)
  return {
    doc_id: chunk.documentId,
    name: chunk.documentName,
    title: chunk.documentTitle,
    category: chunk.category,
    metadata: { ...chunk.metadata },
    ...chunkOnWire(chunk),
    score,
    scores: { vector: vector && { ...vector }, keyword: keyword && { ...keyword }, rerank: rerank && { ...rerank } },
    before: neighbours(chunk.before),
    after: neighbours(chunk.after),
  }
}

function rerankOf(asked: z.output<typeof searchBody>['rerank']): SearchQuery['rerank'] {
  if (asked === undefined) return undefined
  if (asked === false) return null
  return asked === true
    ? { model: null, candidates: usualCandidates }
    : { model: asked.model ?? null, candidates: asked.candidates }
}

function listOf(value: string | readonly string[] | null | undefined): readonly string[] | undefined {
  return value === null || value === undefined ? undefined : [value].flat()
}
