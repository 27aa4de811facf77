/** What the documents of a caller say about themselves: the keys of their metadata, and how many have each value. */
import { z } from '#lib/schema.ts'
import { json } from '#http/respond.ts'
import { validQuery } from '#http/validate.ts'
import type { Row } from './document-route.ts'
import type { Documents } from './documents.ts'
import { viewerOf } from './owners.ts'
import { filterIn } from './search/metadata-filter.ts'
import { facetsOf } from './search/search.ts'
import { facetsAnswer, facetsOnWire } from './search/search-wire.ts'

const keysMax = 500

const facetsQuery = z.strictObject({
  keys: z
    .string()
    .max(2000)
    .transform((text) => text.split(',').filter((key) => key !== ''))
    .refine((keys) => keys.length <= 10, 'expected at most 10')
    .default([])
    .describe('Up to 10, separated by commas: the answer counts the documents by their values'),
  filter: z.string().max(100_000).optional().describe('A filter over metadata as JSON, as a search takes it'),
  category: z.string().max(255).optional(),
})

const answer = z.strictObject({
  keys: z.array(z.string()).describe(`Those of the newest documents that you can find, at most ${keysMax}`),
  facets: facetsAnswer.describe('By key, the most frequent values first, at most 100 each'),
  warnings: z.array(z.string()).describe('What was not counted'),
})

export function metadataRoute(documents: Documents): Row {
  return {
    method: 'GET',
    path: '/documents/metadata',
    docs: {
      operation: 'getDocumentMetadata',
      summary: 'The keys in the metadata of documents, and how many documents have each value',
      query: facetsQuery,
      answer,
      errors: ['invalid_query_parameter', 'invalid_filter'],
    },
    async handle(context, caller) {
      const { keys, filter: asked, category } = validQuery(facetsQuery, context.query)
      const viewer = viewerOf(caller)
      const metadata = asked === undefined ? undefined : filterIn(asked, 'filter')
      const filter = { metadata, ...(category !== undefined && { categories: [category] }) }
      const warnings: string[] = []
      const [known, facets] = await Promise.all([
        documents.store.metadataKeys(viewer, keysMax),
        facetsOf(documents, { viewer, filter }, keys.length === 0 ? undefined : keys, warnings),
      ])
      return json({ keys: known, facets: facetsOnWire(facets ?? []), warnings })
    },
  }
}
