/** The search over chunks: what every engine must do. */
import { expect } from 'bun:test'
import type { DocumentStore, FindQuery, NewChunk, NewDocument } from '#store/documents/document-store.ts'
import { chunkTerms, levelGains, levelMarks } from '#store/documents/indexing/words.ts'
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
import type { StoreTest } from './store-test.ts'

const now = 1_780_000_000_000

function find(documents: DocumentStore, query: Partial<FindQuery>): ReturnType<DocumentStore['find']> {
  return documents.find({ viewer: everything, filter: {}, keywords: null, vectors: [], limit: 10, ...query })
}

/** Texts of what the words find, the best first. */
async function textsOf(
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

async function withTexts(
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

/** Keyword and vector search, filters, and what becomes visible when. */
export function searchContract(storeTest: StoreTest): void {
  wordContract(storeTest)
  vectorContract(storeTest)
  filterContract(storeTest)
  visibilityContract(storeTest)
  neighbourContract(storeTest)
}

function wordContract(storeTest: StoreTest): void {
  storeTest('words are found in any case, with and without accents, also in headings', async ({ documents }) => {
    await withTexts(documents, [
      'Der Überschuß der Gesellschaft',
      'A résumé of the naïve approach',
      { text: 'Nothing to see.', headingPath: ['Appendix', 'Ceñtrifuge'] },
      { text: 'Rows only.', tableHeader: '| Turnover | Year |' },
    ])
    expect(await textsOf(documents, 'UBERSCHUSS uberschuß')).toEqual(['Der Überschuß der Gesellschaft'])
    expect(await textsOf(documents, 'resume naive')).toEqual(['A résumé of the naïve approach'])
    expect(await textsOf(documents, 'centrifuge')).toEqual(['Nothing to see.'])
    expect(await textsOf(documents, 'turnover?')).toEqual(['Rows only.'])
    expect(await textsOf(documents, 'turn')).toEqual([])
    expect(await textsOf(documents, 'turn*')).toEqual(['Rows only.'])
    expect(await textsOf(documents, '... !?')).toEqual([])
  })

  storeTest('a chunk with more of the words comes first', async ({ documents }) => {
    await withTexts(documents, ['the pump', 'the pump and the valve', 'the valve and the pump of the boiler', 'a'])
    expect((await textsOf(documents, 'boiler valve pump'))[0]).toBe('the valve and the pump of the boiler')
    expect((await textsOf(documents, 'pump valve')).length).toBe(3)
  })

  storeTest(
    'scripts without spaces are found by any piece of two characters or more, and by one',
    async ({ documents }) => {
      const texts = ['東京都の人口は増加している。', '大阪府の経済', 'ภาษาไทยง่ายมาก', '서울에서 만나요 ABC123']
      await withTexts(documents, texts)
      expect(await textsOf(documents, '人口')).toEqual([texts[0]!])
      expect(await textsOf(documents, '経済')).toEqual([texts[1]!])
      expect(await textsOf(documents, '都')).toEqual([texts[0]!])
      expect(await textsOf(documents, '済')).toEqual([texts[1]!])
      expect(await textsOf(documents, 'ไทย')).toEqual([texts[2]!])
      expect(await textsOf(documents, '서울')).toEqual([texts[3]!])
      expect(await textsOf(documents, 'abc123')).toEqual([texts[3]!])
    },
  )

  storeTest('what a user types is never query syntax', async ({ documents }) => {
    await withTexts(documents, ['alpha beta', 'gamma NOT delta'])
    const typed = [
      '"alpha',
      "alpha' | !beta & (",
      'NEAR(alpha beta',
      'text:alpha',
      '-alpha* ^',
      'alpha AND',
      '\0alpha\0',
      'alpha) or (1=1',
      '{alpha}: "',
      ':* alpha \\',
      '\ud800 alpha',
    ]
    for (const keywords of typed) expect(await textsOf(documents, keywords)).toContain('alpha beta')
    expect(await textsOf(documents, 'NOT')).toEqual(['gamma NOT delta'])
    expect(await textsOf(documents, 'word '.repeat(5000))).toEqual([])
  })

  storeTest('words are found in other forms, in the language of the document', async ({ documents }) => {
    const english = 'The proposals were not accepted, and they will be discussed again at the next of our meetings.'
    const german = 'Die Verträge wurden nicht unterzeichnet, weil das für uns und für sie zu teuer war.'
    await withTexts(documents, [english])
    await withTexts(documents, [german])
    expect(await textsOf(documents, 'proposal')).toEqual([english])
    expect(await textsOf(documents, 'accepting a meeting')).toEqual([english])
    expect(await textsOf(documents, 'Vertrag')).toEqual([german])
    expect(await textsOf(documents, 'what was the contract')).toEqual([])
  })

  storeTest('a document is found by its name and its title, by its first chunk', async ({ documents }) => {
    await withTexts(documents, ['first', 'second'], { name: 'handbook-2024.pdf' })
    await withTexts(documents, ['other'], { name: 'b.pdf' })
    expect(await textsOf(documents, 'handbook')).toEqual(['first'])
    expect(await textsOf(documents, 'handbook second')).toEqual(['second'])
    expect((await textsOf(documents, 'annual report')).toSorted()).toEqual(['first', 'other'])
  })

  storeTest('what a search may not look at moves none of its scores', async ({ documents }) => {
    await withTexts(documents, ['pump one', 'valve two', 'boiler three'], { importerId: 'bob', owners: ['user:bob'] })
    const scores = async () => (await find(documents, { viewer: viewer('bob'), keywords: 'pump valve' })).keyword
    const before = await scores()
    expect(before).toHaveLength(2)
    await withTexts(
      documents,
      Array.from({ length: 40 }, (_each, index) => `pump ${index}`),
      { importerId: 'eve', owners: ['user:eve'] },
    )
    expect(await scores()).toEqual(before)
  })

  storeTest('the ranking is that of the terms counted by hand, on every engine', async ({ documents }) => {
    const random = fixedNumbers(7)
    const words = Array.from({ length: 40 }, (_each, index) => `w${index}x`)
    const aText = (length: number): string =>
      Array.from({ length }, () => words[Math.floor(40 * random() ** 2)]).join(' ')
    const texts = Array.from({ length: 120 }, (_each, index) => `${aText(5 + (index % 60))} t${index}`)
    for (let start = 0; start < texts.length; start += 30) await withTexts(documents, texts.slice(start, start + 30))
    for (let round = 0; round < 12; round += 1) {
      const question = aText(3)
      expect([question, await textsOf(documents, question)]).toEqual([question, rankedByHand(texts, question)])
    }
  })

  storeTest('words that every chunk has are found too, up to the limit', async ({ documents }) => {
    await withTexts(
      documents,
      Array.from({ length: 30 }, (_each, index) => `the common text ${index}`),
    )
    expect(await textsOf(documents, 'the common', { limit: 12 })).toHaveLength(12)
    expect((await textsOf(documents, 'the common 17', { limit: 12 }))[0]).toBe('the common text 17')
  })
}

/** The ten best: for each word the level of its weight, times how rare it is (Lucene's BM25). */
function rankedByHand(texts: readonly string[], question: string): readonly string[] {
  const chunks = texts.map((text) => new Set(chunkTerms(text, '', null)))
  const scores = chunks.map(() => 0)
  for (const word of new Set(question.split(' '))) {
    const having = chunks.filter((terms) => terms.has(word)).length
    const idf = Math.log(1 + (chunks.length - having + 0.5) / (having + 0.5))
    for (const [level, mark] of levelMarks.entries()) {
      for (const [index, terms] of chunks.entries()) {
        if (terms.has(`${word}${mark}`)) scores[index]! += idf * levelGains[level]!
      }
    }
  }
  const order = [...texts.keys()].filter((index) => scores[index]! > 0)
  return order
    .sort((a, b) => Math.sign(Math.round((scores[b]! - scores[a]!) * 1e9)) || a - b)
    .slice(0, 10)
    .map((index) => texts[index]!)
}

function cosine(a: Float32Array, b: Float32Array): number {
  const product = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, at) => sum + value * y[at]!, 0)
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}

function fixedNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
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
