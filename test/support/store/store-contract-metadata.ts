/** Metadata of documents, filters over it and facets: what every engine must do. */
import { expect } from 'bun:test'
import fc from 'fast-check'
import type { DocumentStore, NewDocument } from '#store/documents/document-store.ts'
import { readFilter, type MetadataFilter } from '#store/documents/metadata/metadata-filter.ts'
import type { Metadata } from '#store/documents/metadata/metadata.ts'
import { passes, someFilter, someMetadata, type SentFilter } from './metadata-reference.ts'
import {
  aDocument,
  aVector,
  chunks,
  claim,
  complete,
  completeAll,
  completion,
  everything,
  heldBy,
  space,
  viewer,
} from './store-documents.ts'
import { find } from './store-searches.ts'
import type { StoreTest } from './store-test.ts'

const now = 1_780_000_000_000

/** The filter that a request with this would have. */
export function asFilter(sent: SentFilter): MetadataFilter {
  const read = readFilter(sent)
  if (read.kind === 'fault') throw new Error(`${read.at} ${read.message}`)
  return read.filter
}

const equals = (key: string, value: unknown): MetadataFilter => asFilter({ type: 'eq', key, value })

/** Ids of the documents that the words find, and of those that the vectors find. */
async function foundBy(documents: DocumentStore, metadata: MetadataFilter, category: string) {
  const { keyword, vector } = await find(documents, {
    filter: { categories: [category], metadata },
    keywords: 'chunk',
    vectors: [{ spaceKey: space.key, vector: aVector(0) }],
    limit: 100,
  })
  const idsOf = async (rows: readonly { readonly row: number }[]) => {
    const found = await documents.chunksInContext(
      rows.map(({ row }) => row),
      everything,
      0,
    )
    return found.map(({ documentId }) => documentId).toSorted()
  }
  return [await idsOf(keyword), await idsOf(vector)]
}

async function listed(documents: DocumentStore, metadata: MetadataFilter, category: string) {
  const { items } = await documents.list({ viewer: everything, categories: [category], metadata, limit: 100 })
  return items.map(({ id }) => id).toSorted()
}

/** 200 documents: all have `all`, half of them a `half` of 1, four `rare`. */
export async function withShares(documents: DocumentStore): Promise<void> {
  const imported = Array.from({ length: 200 }, (_each, at) => ({
    document: aDocument({ metadata: { all: true, half: at % 2, ...(at % 50 === 0 && { rare: at }) } }),
    its: chunks(1, () => ({ vector: aVector(at) })),
  }))
  await completeAll(documents, imported)
}

/** As many hits as were asked for come back, whatever part of the documents the filter lets through. */
export async function expectFullLists(documents: DocumentStore): Promise<void> {
  const vectors = [{ spaceKey: space.key, vector: aVector(1) }]
  for (const [sent, there] of [
    [{ type: 'gte', key: 'rare', value: 0 }, 4],
    [{ type: 'eq', key: 'half', value: 1 }, 100],
    [{ type: 'eq', key: 'all', value: true }, 200],
    [{ type: 'exists', key: 'nowhere' }, 0],
    [{ type: 'not', filter: { type: 'exists', key: 'rare' } }, 196],
  ] as const) {
    const filter = { metadata: asFilter(sent) }
    for (const limit of [3, 120]) {
      const { keyword, vector } = await find(documents, { filter, keywords: 'chunk', vectors, limit })
      expect([sent, keyword.length, vector.length]).toEqual([sent, Math.min(limit, there), Math.min(limit, there)])
    }
  }
}

export function metadataContract(storeTest: StoreTest): void {
  storeTest(
    'a filter finds the same documents by words, by vectors and in lists: those of the reference',
    async (store) => {
      const { documents } = store
      let run = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(someMetadata, { minLength: 5, maxLength: 24 }),
          fc.array(someFilter, { minLength: 12, maxLength: 24 }),
          async (all, filters) => {
            const category = `run ${(run += 1)}`
            const imported = all.map((metadata) => ({ document: aDocument({ category, metadata }), its: chunks(1) }))
            await completeAll(documents, imported)
            for (const sent of filters) {
              const filter = asFilter(sent)
              const expected = imported
                .filter(({ document }) => passes(sent, document.metadata ?? {}))
                .map(({ document }) => document.id)
                .toSorted()
              expect([sent, await listed(documents, filter, category)]).toEqual([sent, expected])
              expect([sent, await foundBy(documents, filter, category)]).toEqual([sent, [expected, expected]])
            }
          },
        ),
        { numRuns: 4, endOnFailure: true },
      )
    },
  )

  storeTest('a filter narrows what is searched, not what was found', async ({ documents }) => {
    await withShares(documents)
    await expectFullLists(documents)
  })

  storeTest(
    'a change of metadata is there for the next search, also for filters that were asked before',
    async (store) => {
      const { documents } = store
      const [one, other] = [aDocument({ metadata: { state: 'draft', tags: { a: 1, b: 2 } } }), aDocument()]
      await complete(documents, one, chunks(1))
      await complete(documents, other, chunks(1))
      const drafts = equals('state', 'draft')
      const idsOfDrafts = async () => (await foundBy(documents, drafts, 'reports'))[0]
      expect(await idsOfDrafts()).toEqual([one.id])
      const change = (document: NewDocument, patch: Metadata, as = everything) =>
        documents.describe(document.id, as, { patch, now })
      const described = await change(one, { state: null, tags: { a: null } })
      expect(described).toMatchObject({ document: { metadata: { tags: { b: 2 } } } })
      expect(await idsOfDrafts()).toEqual([])
      await change(other, { state: 'draft' }, viewer('ada'))
      expect(await idsOfDrafts()).toEqual([other.id])
      expect(await change(other, { state: 'final' }, viewer('eve'))).toBeNull()
      const tooMany = Object.fromEntries(Array.from({ length: 256 }, (_each, at) => [`k${at}`, at]))
      expect(await change(other, tooMany)).toEqual({ refused: 'may have at most 256 values' })
      await documents.delete(other.id, everything)
      await complete(documents, aDocument(), chunks(1))
      expect(await idsOfDrafts()).toEqual([])
    },
  )

  storeTest('what a file states fills what nobody has set, and goes with the version that stated it', async (store) => {
    const { documents } = store
    const document = aDocument({ metadata: { author: 'Ada' } })
    const read = async (metadata: Metadata, sha256 = document.sha256) => {
      await documents.insert([{ ...document, metadata: undefined, sha256 }])
      const [claimed] = await claim(documents)
      await documents.stage(heldBy(claimed!), space, chunks(1))
      await documents.complete(heldBy(claimed!), { ...completion, metadata }, now)
      return (await documents.get(document.id, everything))?.metadata
    }
    await documents.insert([document])
    const [first] = await claim(documents)
    await documents.stage(heldBy(first!), space, chunks(1))
    await documents.complete(heldBy(first!), { ...completion, metadata: { author: 'Bob', year: 1 } }, now)
    expect((await documents.get(document.id, everything))?.metadata).toEqual({ author: 'Ada', year: 1 })
    expect(await read({ author: 'Eve', pages: 2 }, 'b'.repeat(64))).toEqual({ author: 'Ada', pages: 2 })
    const [byWords] = await foundBy(documents, equals('pages', 2), 'reports')
    expect(byWords).toEqual([document.id])
  })

  storeTest(
    'facets count the documents that the viewer sees and the filter allows, by value',
    async ({ documents }) => {
      const importers = ['ada', 'ada', 'ada', 'bob']
      for (const [at, importerId] of importers.entries()) {
        const metadata = { kind: at === 0 ? 'memo' : 'report', tags: ['x', 'x', 1, true], year: 2020 + at }
        await complete(documents, aDocument({ importerId, owners: [`user:${importerId}`], metadata }), chunks(1))
      }
      await documents.insert([aDocument({ metadata: { kind: 'not read yet' } })])
      const counts = async (as = everything, metadata?: MetadataFilter) => {
        const query = { viewer: as, filter: { metadata }, keys: ['kind', 'tags'], limit: 2 }
        const { facets, counted, of } = await documents.facets(query)
        expect(counted).toBe(of)
        return facets.map(({ key, value, documents: count }) => [key, value, count])
      }
      expect(await counts()).toEqual([
        ['kind', 'report', 3],
        ['kind', 'memo', 1],
        ['tags', 'x', 4],
        ['tags', 1, 4],
      ])
      expect(await documents.metadataKeys(everything, 10)).toEqual(['kind', 'tags', 'year'])
      expect(await documents.metadataKeys(everything, 2)).toEqual(['kind', 'tags'])
      await complete(
        documents,
        aDocument({ importerId: 'bob', owners: ['user:bob'], metadata: { bobs: 1 } }),
        chunks(1),
      )
      expect(await documents.metadataKeys(viewer('ada'), 10)).toEqual(['kind', 'tags', 'year'])
      expect(await documents.metadataKeys(viewer('bob'), 10)).toEqual(['bobs', 'kind', 'tags', 'year'])
      expect(await documents.metadataKeys(viewer('eve'), 10)).toEqual([])
      expect(await counts(viewer('ada'), asFilter({ type: 'gt', key: 'year', value: 2020 }))).toEqual([
        ['kind', 'report', 2],
        ['tags', 'x', 2],
        ['tags', 1, 2],
      ])
      // Of more documents than may be looked at, the newest.
      const some = await documents.facets({
        viewer: everything,
        filter: {},
        keys: ['kind', 'year'],
        limit: 9,
        countedMax: 3,
      })
      expect(some).toMatchObject({ counted: 3, of: 5 })
      expect(some.facets.map(({ value, documents: count }) => [value, count])).toEqual([
        ['report', 2],
        [2022, 1],
        [2023, 1],
      ])
    },
  )
}
