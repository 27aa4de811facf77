/** The search over chunks: what every engine must do. */
import { expect } from 'bun:test'
import type { DocumentStore } from '#store/documents/document-store.ts'
import {
  aChunk,
  aDocument,
  aVector,
  chunks,
  claim,
  complete,
  completion,
  everything,
  heldBy,
  space,
  viewer,
} from './store-documents.ts'
import { metadataContract } from './store-contract-metadata.ts'
import { wordContract } from './store-contract-words.ts'
import { find, fixedNumbers, textsOf, withTexts } from './store-searches.ts'
import type { StoreTest } from './store-test.ts'

const now = 1_780_000_000_000

/** Keyword and vector search, filters, and what becomes visible when. */
export function searchContract(storeTest: StoreTest): void {
  wordContract(storeTest)
  metadataContract(storeTest)
  vectorContract(storeTest)
  filterContract(storeTest)
  visibilityContract(storeTest)
  neighbourContract(storeTest)
}

function cosine(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, at) => sum + value * y[at]!, 0)
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}

function vectorContract(storeTest: StoreTest): void {
  storeTest('the nearest vectors come first, with their cosines', async ({ documents }) => {
    await withTexts(
      documents,
      [0, 1, 2, 3].map((axis) => ({ text: `axis ${axis}`, vector: aVector(axis) })),
    )
    const { vector } = await find(documents, { vectors: [{ spaceKey: space.key, vector: aVector(2) }] })
    expect(vector).toHaveLength(4)
    expect(vector[0]?.score).toBeCloseTo(1, 5)
    const found = await documents.chunksInContext(
      vector.map(({ row }) => row),
      everything,
      0,
    )
    expect(found[0]?.text).toBe('axis 2')
    expect(vector.map(({ score }) => score)).toEqual(vector.map(({ score }) => score).toSorted((a, b) => b - a))
  })

  storeTest(
    'what all vectors have in common hides nothing: the nearest are those of the exact comparison',
    async ({ documents }) => {
      const leaning = { key: 'leaning/64', dimensions: 64 }
      const random = fixedNumbers(3)
      const vectors = Array.from({ length: 2400 }, () =>
        Float32Array.from({ length: 64 }, (_each, at) => 0.3 + (random() - 0.5) / Math.sqrt(at + 1)),
      )
      for (let start = 0; start < vectors.length; start += 300) {
        await complete(
          documents,
          aDocument(),
          vectors
            .slice(start, start + 300)
            .map((vector, ordinal) => aChunk(ordinal, { vector, text: `v${start + ordinal}` })),
          leaning,
        )
      }
      for (let round = 0; round < 5; round += 1) {
        const asked = vectors[round * 400]!.map((value) => value + (random() - 0.5) / 20)
        const exact = vectors.map((vector) => cosine(asked, vector)).sort((a, b) => b - a)
        const { vector } = await find(documents, { vectors: [{ spaceKey: leaning.key, vector: asked }], limit: 50 })
        const scores = vector.map(({ score }) => score)
        expect(scores).toHaveLength(50)
        expect(scores.filter((score) => score >= exact[49]! - 1e-6).length).toBeGreaterThanOrEqual(48)
        expect(scores.slice(0, 10).filter((score) => score >= exact[9]! - 1e-6)).toHaveLength(10)
      }
    },
  )

  storeTest('each vector space is searched by its own query, and named with its embedder', async ({ documents }) => {
    const other = { key: 'other/3', dimensions: 3 }
    await complete(documents, aDocument(), chunks(2))
    await complete(
      documents,
      aDocument({ embedder: { name: 'other' } }),
      chunks(2, (at) => ({ vector: aVector(at, 3) })),
      other,
    )
    expect(await documents.spaces(everything, {})).toEqual([
      { key: space.key, embedder: { name: 'built-in' }, dimensions: 8 },
      { key: other.key, embedder: { name: 'other' }, dimensions: 3 },
    ])
    expect(await documents.spaces(viewer('nobody'), {})).toEqual([])
    const { vector } = await find(documents, {
      vectors: [
        { spaceKey: space.key, vector: aVector(0) },
        { spaceKey: other.key, vector: aVector(0, 3) },
        { spaceKey: 'unknown', vector: aVector(0) },
      ],
      limit: 1,
    })
    expect(vector.map(({ spaceKey }) => spaceKey)).toEqual([space.key, other.key])
  })

  storeTest('vectors without a direction, and of one dimension, are no obstacle', async ({ documents }) => {
    const line = { key: 'line', dimensions: 1 }
    const vectors = [0, 1, -1].map((value) => ({ vector: Float32Array.of(value) }))
    await complete(
      documents,
      aDocument(),
      chunks(3, (at) => vectors[at]!),
      line,
    )
    const { vector } = await find(documents, { vectors: [{ spaceKey: 'line', vector: Float32Array.of(2) }] })
    expect(vector.map(({ score }) => score)).toEqual([1, 0, -1])
  })
}

/** Documents of which every hundredth belongs to bob. */
async function withForeignDocuments(documents: DocumentStore): Promise<void> {
  const many = Array.from({ length: 200 }, (_each, index) =>
    aDocument({
      importerId: index % 100 === 0 ? 'bob' : 'eve',
      owners: [index % 100 === 0 ? 'user:bob' : 'user:eve'],
      category: index % 50 === 0 ? 'rare' : 'reports',
    }),
  )
  await documents.insert(many)
  for (const each of await claim(documents, { max: 1000 })) {
    const word = each.document.importerId
    const its = chunks(5, (at) => ({ text: `secret of ${word}`, vector: aVector(at) }))
    await documents.stage(heldBy(each), space, its)
    await documents.complete(heldBy(each), completion, now)
  }
}

function filterContract(storeTest: StoreTest): void {
  storeTest(
    'with a hundredth of all chunks allowed, all that exist are found and never a foreign one',
    async ({ documents }) => {
      await withForeignDocuments(documents)
      const bob = viewer('bob')
      const vectors = [{ spaceKey: space.key, vector: aVector(3) }]
      for (const query of [
        { viewer: bob, filter: {} },
        { viewer: everything, filter: { owners: ['user:bob'] } },
        { viewer: bob, filter: { categories: ['rare', 'none'] } },
      ]) {
        const { vector, keyword } = await find(documents, { ...query, vectors, keywords: 'secret of bob eve' })
        for (const list of [vector, keyword]) {
          expect(list).toHaveLength(10)
          const found = await documents.chunksInContext(
            list.map(({ row }) => row),
            everything,
            0,
          )
          expect(new Set(found.map(({ text }) => text))).toEqual(new Set(['secret of bob']))
        }
      }
      const { vector, keyword } = await find(documents, { viewer: viewer('cleo'), vectors, keywords: 'secret' })
      expect([vector, keyword]).toEqual([[], []])
      const none = await find(documents, { filter: { ids: [] }, vectors, keywords: 'secret' })
      expect([none.vector, none.keyword]).toEqual([[], []])
    },
  )

  storeTest(
    'who gains or loses a document finds it, or finds it no more, at the next search',
    async ({ documents }) => {
      const document = aDocument({ owners: ['user:bob'] })
      await complete(documents, document, chunks(2))
      const finds = async (userId: string): Promise<number> =>
        (await textsOf(documents, 'chunk', { viewer: viewer(userId) })).length
      expect([await finds('bob'), await finds('cleo'), await finds('ada')]).toEqual([2, 0, 2])
      const second = aDocument({ id: document.id, owners: ['user:cleo'] })
      await documents.insert([second])
      expect([await finds('bob'), await finds('cleo'), await finds('ada')]).toEqual([0, 0, 2])
      const [held] = await claim(documents)
      await documents.stage(heldBy(held!), space, chunks(3))
      await documents.complete(heldBy(held!), completion, now)
      expect([await finds('bob'), await finds('cleo'), await finds('ada')]).toEqual([0, 3, 3])
      await documents.delete(document.id, everything)
      expect([await finds('bob'), await finds('cleo'), await finds('ada')]).toEqual([0, 0, 0])
    },
  )
}

function visibilityContract(storeTest: StoreTest): void {
  storeTest(
    'what is being staged is never found, and a version takes the place of the other in one step',
    async ({ documents }) => {
      const document = aDocument()
      await complete(
        documents,
        document,
        chunks(40, () => ({ text: 'version one', vector: aVector(1) })),
      )
      await documents.insert([aDocument({ id: document.id })])
      const [held] = await claim(documents)
      const seen = new Set<string>()
      let writing = true
      const searching = (async () => {
        const vectors = [{ spaceKey: space.key, vector: aVector(1) }]
        while (writing) {
          const { keyword, vector } = await find(documents, { keywords: 'version', vectors, limit: 100 })
          seen.add(`${keyword.length}/${vector.length}`)
        }
      })()
      await documents.stage(
        heldBy(held!),
        space,
        chunks(60, () => ({ text: 'version two', vector: aVector(1) })),
      )
      await documents.complete(heldBy(held!), completion, now)
      writing = false
      await searching
      expect([...seen].filter((counts) => counts !== '40/40' && counts !== '60/60')).toEqual([])
      expect(new Set(await textsOf(documents, 'version', { limit: 100 }))).toEqual(new Set(['version two']))
      while ((await documents.purgeSome()) > 0) continue
      expect(await textsOf(documents, 'version', { limit: 100 })).toHaveLength(60)
    },
  )
}

function neighbourContract(storeTest: StoreTest): void {
  storeTest(
    'a found chunk comes with its document and its neighbours in the order of the text',
    async ({ documents }) => {
      const [document, other] = [aDocument({ category: 'letters' }), aDocument()]
      await complete(documents, document, chunks(5))
      await complete(documents, other, chunks(5))
      const { keyword } = await find(documents, { keywords: '3', filter: { ids: [document.id] } })
      const [found] = await documents.chunksInContext(
        keyword.map(({ row }) => row),
        everything,
        2,
      )
      expect(found).toMatchObject({
        documentId: document.id,
        documentName: document.name,
        documentTitle: 'Annual report',
        category: 'letters',
        ordinal: 3,
        text: 'chunk number 3',
      })
      expect(found?.before.map(({ ordinal }) => ordinal)).toEqual([1, 2])
      expect(found?.after.map(({ ordinal }) => ordinal)).toEqual([4])
      const rows = keyword.map(({ row }) => row)
      expect(await documents.chunksInContext(rows, viewer('cleo'), 2)).toEqual([])
      expect(await documents.chunksInContext([...rows, 1, 2 ** 50], everything, 0)).toHaveLength(1)
      await documents.delete(document.id, everything)
      expect(await documents.chunksInContext(rows, everything, 2)).toEqual([])
    },
  )
}
