import { afterAll, describe, expect, test } from 'bun:test'
import { cosine, embed, embedderContract } from '#test/support/contract/embedder-contract.ts'
import { HashingEmbedder } from './hashing-embedder.ts'

embedderContract('hashing', async () => {
  const embedder = new HashingEmbedder()
  return { embedder, [Symbol.asyncDispose]: () => embedder[Symbol.asyncDispose]() }
})

const hashingEmbedder = new HashingEmbedder()
afterAll(() => hashingEmbedder[Symbol.asyncDispose]())

const passages = [
  'Employees may carry over up to five days of unused vacation into the next calendar year.',
  'The reactor coolant pump must be inspected every six months by a certified engineer.',
  'Die Kündigungsfrist beträgt drei Monate zum Ende eines Quartals.',
  'La facture doit être réglée dans les trente jours suivant sa réception.',
  '東京は日本の首都であり、世界最大級の都市圏を形成している。',
  '机器学习是人工智能的一个分支，研究计算机如何从数据中学习。',
  'Договор вступает в силу с момента подписания обеими сторонами.',
  'กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย',
  'The quarterly report shows that revenue in the European market grew by twelve percent.',
  'Passwords must have at least fourteen characters and are never to be shared.',
]

/** Number of the passage that is nearest to the question. */
async function nearest(question: string): Promise<number> {
  const [asked, ...vectors] = await embed(hashingEmbedder, [question, ...passages])
  const scores = vectors.map((vector) => cosine(asked!, vector))
  return scores.indexOf(Math.max(...scores))
}

describe('a question that shares words with a passage finds it', () => {
  const questions: readonly (readonly [string, number])[] = [
    ['How many vacation days can I carry over?', 0],
    ['how often are coolant pumps inspected', 1],
    ['Wie lang ist die Kündigungsfrist?', 2],
    ['WIE LANG IST DIE KUNDIGUNGSFRIST', 2],
    ['Quand faut-il régler une facture ?', 3],
    ['日本の首都はどこですか', 4],
    ['什么是机器学习', 5],
    ['Когда договор вступает в силу?', 6],
    ['เมืองหลวงของไทย', 7],
    ['revenue growth in Europe', 8],
    ['how many charakters must pasword have', 9],
  ]
  for (const [question, passage] of questions) test(question, async () => expect(await nearest(question)).toBe(passage))
})

test('case, full-width characters and accents make no difference', async () => {
  const [plain, shouted, wide, accented] = await embed(hashingEmbedder, [
    'resume 42',
    'RESUME 42',
    'ｒｅｓｕｍｅ ４２',
    'résumé 42',
  ])
  for (const other of [shouted, wide, accented]) expect(cosine(plain!, other!)).toBeCloseTo(1, 6)
})

test('function words count for little', async () => {
  const [content, wrapped, other] = await embed(hashingEmbedder, [
    'turbine maintenance',
    'what is the maintenance of a turbine to us',
    'what is the colour of a bird to us',
  ])
  expect(cosine(content!, wrapped!)).toBeGreaterThan(0.6)
  expect(cosine(wrapped!, other!)).toBeLessThan(0.3)
})

test('texts that have no word differ from each other', async () => {
  const [ruler, emoji, empty] = await embed(hashingEmbedder, ['----------', '😀🚀', ''])
  expect(Math.abs(cosine(ruler!, emoji!))).toBeLessThan(0.9)
  expect(Math.abs(cosine(ruler!, empty!))).toBeLessThan(0.9)
})

test('a stored vector stays comparable: a text has the same vector in every release of the version', async () => {
  const [vector] = await embed(hashingEmbedder, ['Stored vectors, 東京.'])
  const strong = [...vector!.entries()].filter(([, value]) => Math.abs(value) > 0.15)
  expect(strong.map(([at, value]) => [at, Number(value.toFixed(4))])).toEqual([
    [43, 0.173],
    [116, -0.1977],
    [183, 0.4943],
    [262, 0.173],
    [287, 0.4943],
    [296, -0.4943],
  ])
})

test.each([1, 10, 100, 1000])(
  '%i times the text has the same vectors, on the thread or not, and in the same order',
  async (times) => {
    const texts = Array.from({ length: times }, (_, at) => `text ${at} ${'of some more words '.repeat(at % 7)}`)
    const together = await embed(hashingEmbedder, texts)
    for (const [at, text] of texts.entries()) expect(together[at]).toEqual((await embed(hashingEmbedder, [text]))[0]!)
  },
)

test('a long question is answered before the texts of an import that wait', async () => {
  const { signal } = new AbortController()
  const done: string[] = []
  const ask = async (purpose: 'passage' | 'query', texts: string[]): Promise<void> => {
    await hashingEmbedder.embed({ texts, purpose, signal })
    done.push(purpose)
  }
  const long = 'many words and more '.repeat(1000)
  await Promise.all([
    ...Array.from({ length: 10 }, () =>
      ask(
        'passage',
        Array.from({ length: 20 }, () => long),
      ),
    ),
    ask('query', [long]),
  ])
  expect(done).toEqual(['query', ...Array.from({ length: 10 }, () => 'passage')])
})

test('texts of any lengths keep their order', async () => {
  const texts = [0, 1, 131_072, 131_073, 5, 70_000, 70_000, 0, 400_000, 3].map((length) =>
    'word '.repeat(length / 5 + 1),
  )
  const together = await embed(hashingEmbedder, texts)
  for (const [at, text] of texts.entries()) expect(together[at]).toEqual((await embed(hashingEmbedder, [text]))[0]!)
})

test('an import whose end is not wanted any more ends with that, also while the thread works for it', async () => {
  const ending = new AbortController()
  const texts = Array.from({ length: 200 }, () => 'many words and more '.repeat(200))
  const embedding = hashingEmbedder.embed({ texts, purpose: 'passage', signal: ending.signal })
  const reason = new Error('no longer wanted')
  ending.abort(reason)
  expect(await embedding.catch((thrown: unknown) => thrown)).toBe(reason)
})
