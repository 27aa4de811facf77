/** The official OpenAI client: vector stores, their files, batches of files, and search. */
import { beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { NotFoundError, toFile } from 'openai'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { openAiClient } from './openai-client.ts'

const app = documentsOfFile()
let client: OpenAI
let stranger: OpenAI
beforeAll(() => {
  client = openAiClient(app())
  stranger = openAiClient(app(), { apiKey: app().keys.other.secret })
})

const upload = async (name: string, text: string): Promise<string> =>
  (await client.files.create({ file: await toFile(Buffer.from(text), name), purpose: 'assistants' })).id

/** An APIPromise is not the promise that `rejects` looks at. */
const refusalOf = async (asked: PromiseLike<unknown>): Promise<unknown> =>
  asked.then(
    () => null,
    (thrown: unknown) => thrown,
  )

const soon = { pollIntervalMs: 20 }

const texts = async (id: string, query: string, more: object = {}): Promise<readonly string[]> => {
  const page = await client.vectorStores.search(id, { query, ...more })
  return page.data.map(({ content }) => content[0]?.text.trim() ?? '')
}

test('a store is created, listed, changed and deleted, as the objects of the API say', async () => {
  const made = await client.vectorStores.create({
    name: 'Handbooks',
    metadata: { team: 'people' },
    expires_after: { anchor: 'last_active_at', days: 7 },
  })
  expect(made).toMatchObject({
    object: 'vector_store',
    name: 'Handbooks',
    status: 'completed',
    usage_bytes: 0,
    file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
    metadata: { team: 'people' },
    expires_after: { anchor: 'last_active_at', days: 7 },
    expires_at: made.last_active_at! + 7 * 86_400,
  })
  const second = await client.vectorStores.create({})
  const listed = await Array.fromAsync(client.vectorStores.list({ limit: 1 }))
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([made.id, second.id]))
  const oldest = await client.vectorStores.list({ order: 'asc', before: second.id })
  expect(oldest.data.at(-1)?.id).toBe(made.id)
  const changed = await client.vectorStores.update(made.id, { name: 'Books', expires_after: null })
  expect(changed).toMatchObject({ name: 'Books', metadata: { team: 'people' }, expires_after: null, expires_at: null })
  expect(await refusalOf(stranger.vectorStores.retrieve(made.id))).toBeInstanceOf(NotFoundError)
  expect(await client.vectorStores.delete(made.id)).toEqual({
    id: made.id,
    object: 'vector_store.deleted',
    deleted: true,
  })
  expect(await refusalOf(client.vectorStores.retrieve(made.id))).toBeInstanceOf(NotFoundError)
})

describe('files in a store', () => {
  test('are read, searched with filters, and never found again once they are taken out or deleted', async () => {
    const store = await client.vectorStores.create({ name: 'menus' })
    const [soup, cake, fish] = await Promise.all([
      upload('soup.txt', 'Lentil soup is served on Monday.'),
      upload('cake.md', '# Cakes\n\nLentil cake is served on Sunday.'),
      upload('fish.txt', 'Lentil fish is served on Friday.'),
    ])
    const added = await client.vectorStores.files.createAndPoll(
      store.id,
      {
        file_id: soup,
        attributes: { price: 4, vegan: true },
        chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 200, chunk_overlap_tokens: 50 } },
      },
      soon,
    )
    expect(added).toMatchObject({
      id: soup,
      object: 'vector_store.file',
      status: 'completed',
      last_error: null,
      vector_store_id: store.id,
      attributes: { price: 4, vegan: true },
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens: 200, chunk_overlap_tokens: 50 } },
    })
    const batch = await client.vectorStores.fileBatches.createAndPoll(
      store.id,
      {
        files: [
          { file_id: cake, attributes: { price: 6 } },
          { file_id: fish, attributes: { price: 9 } },
        ],
      },
      soon,
    )
    expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 2, total: 2 } })
    const ofBatch = await client.vectorStores.fileBatches.listFiles(batch.id, { vector_store_id: store.id })
    expect(ofBatch.data.map(({ id }) => id).toSorted()).toEqual([cake, fish].toSorted())
    expect((await client.vectorStores.retrieve(store.id)).file_counts).toMatchObject({ completed: 3, total: 3 })

    const page = await client.vectorStores.search(store.id, { query: 'lentil soup', max_num_results: 1 })
    expect(page.data).toEqual([
      {
        file_id: soup,
        filename: 'soup.txt',
        score: expect.any(Number) as number,
        attributes: { price: 4, vegan: true },
        content: [{ type: 'text', text: 'Lentil soup is served on Monday.' }],
      },
    ])
    const filters = {
      type: 'and' as const,
      filters: [
        { type: 'gte' as const, key: 'price', value: 5 },
        { type: 'ne' as const, key: 'price', value: 9 },
      ],
    }
    expect(await texts(store.id, 'lentil', { filters })).toHaveLength(1)
    await client.vectorStores.files.update(fish, { vector_store_id: store.id, attributes: { price: 5.5 } })
    expect(await texts(store.id, 'lentil', { filters })).toHaveLength(2)
    const content = await client.vectorStores.files.content(cake, { vector_store_id: store.id })
    expect(content.data[0]?.text).toContain('Lentil cake')

    await client.vectorStores.files.delete(cake, { vector_store_id: store.id })
    expect(await texts(store.id, 'lentil')).toHaveLength(2)
    await client.files.delete(fish)
    expect(await texts(store.id, 'lentil')).toEqual(['Lentil soup is served on Monday.'])
    expect((await client.files.retrieve(cake)).id).toBe(cake)
    expect(await refusalOf(stranger.vectorStores.search(store.id, { query: 'lentil' }))).toBeInstanceOf(NotFoundError)
    await client.vectorStores.delete(store.id)
    expect(await app().listed(`?category=${store.id}`)).toEqual([])
  })

  test('with the same bytes have attributes and lives of their own', async () => {
    const store = await client.vectorStores.create({})
    const ids = await Promise.all([1, 2, 3].map((at) => upload(`copy ${at}.txt`, 'Barley soup, every day.')))
    const files = ids.map((file_id, at) => ({ file_id, attributes: { copy: at + 1 } }))
    const batch = await client.vectorStores.fileBatches.createAndPoll(store.id, { files }, soon)
    expect(batch.file_counts).toMatchObject({ completed: 3, total: 3 })
    const byFile = ([one]: readonly unknown[], [next]: readonly unknown[]) => (String(one) < String(next) ? -1 : 1)
    const copies = async (more: object = {}) => {
      const page = await client.vectorStores.search(store.id, { query: 'barley', ...more })
      return page.data
        .map(({ file_id: id, filename, attributes }) => [id, filename, attributes?.['copy']])
        .toSorted(byFile)
    }
    const all = ids.map((id, at) => [id, `copy ${at + 1}.txt`, at + 1])
    expect(await copies()).toEqual(all.toSorted(byFile))
    const second = { type: 'eq' as const, key: 'copy', value: 2 }
    expect(await copies({ filters: second })).toEqual([[ids[1], 'copy 2.txt', 2]])
    await client.vectorStores.files.update(ids[1]!, { vector_store_id: store.id, attributes: { copy: 9 } })
    expect(await copies({ filters: second })).toEqual([])
    await client.vectorStores.files.delete(ids[0]!, { vector_store_id: store.id })
    expect(new Set((await copies()).map(([, , copy]) => copy))).toEqual(new Set([3, 9]))
  })

  test('take over attributes that change, and are cancelled, while they are on their way', async () => {
    const store = await client.vectorStores.create({})
    const ids = await Promise.all(
      Array.from({ length: 24 }, (_each, at) => upload(`dish ${at}.txt`, `Dish ${at} of many.`)),
    )
    const batch = await client.vectorStores.fileBatches.create(store.id, { file_ids: ids.slice(0, 12) })
    expect(batch.file_counts.total).toBe(12)
    await client.vectorStores.files.update(ids[11]!, { vector_store_id: store.id, attributes: { late: true } })
    await client.vectorStores.fileBatches.poll(store.id, batch.id, soon)
    const filters = { type: 'eq' as const, key: 'late', value: true }
    expect(await texts(store.id, 'dish', { filters })).toEqual(['Dish 11 of many.'])
    const other = await client.vectorStores.fileBatches.create(store.id, { file_ids: ids.slice(12) })
    await client.vectorStores.fileBatches.cancel(other.id, { vector_store_id: store.id })
    const { file_counts: counts, status } = await client.vectorStores.fileBatches.poll(store.id, other.id, soon)
    expect([status, counts.completed + counts.cancelled, counts.in_progress]).toEqual(['cancelled', 12, 0])
    expect((await texts(store.id, 'dish', { max_num_results: 50 })).length).toBe(12 + counts.completed)
  })

  test('that a killed process had accepted are added by the next one', async () => {
    const store = await client.vectorStores.create({})
    const fileId = await upload('late.txt', 'Barley porridge.')
    const database = await app().openStoreAgain()
    try {
      const chunking = { units: 800, overlap: 400 }
      const file = { storeId: store.id, fileId, documentId: crypto.randomUUID(), batchId: null, attributes: null }
      await database.vectorStores.addFiles([{ ...file, chunking, createdAt: Date.now() }])
    } finally {
      await database.close()
    }
    // Any file that is added makes the server look for what is left to do.
    await client.vectorStores.files.create((await client.vectorStores.create({})).id, { file_id: fileId })
    await client.vectorStores.files.poll(store.id, fileId, soon)
    expect(await texts(store.id, 'porridge')).toEqual(['Barley porridge.'])
  })

  test('say why they could not be read', async () => {
    const store = await client.vectorStores.create({})
    const file_id = await upload('noise.bin', `\u007fELF${'\u0000'.repeat(60)}`)
    const failed = await client.vectorStores.files.createAndPoll(store.id, { file_id }, soon)
    expect(failed).toMatchObject({ status: 'failed', last_error: { code: 'unsupported_file' } })
    expect((await client.vectorStores.retrieve(store.id)).file_counts).toMatchObject({ failed: 1, total: 1 })
  })

  test('of nobody, or of somebody else, are refused, and nothing is left of the store', async () => {
    const file_id = await upload('mine.txt', 'mine')
    expect(await refusalOf(stranger.vectorStores.create({ file_ids: [file_id] }))).toBeInstanceOf(NotFoundError)
    expect((await stranger.vectorStores.list()).data).toEqual([])
  })

  test('come from the store alone: nobody imports into its category', async () => {
    const store = await client.vectorStores.create({})
    const { invalid } = await app().answer([{ bytes: 'planted', category: store.id }])
    expect(invalid).toHaveLength(1)
  })
})

test('a store that was not used for as long as it says has expired, and cannot be searched', async () => {
  const store = await client.vectorStores.create({ expires_after: { anchor: 'last_active_at', days: 1 } })
  app().advance(86_400_000)
  expect((await client.vectorStores.retrieve(store.id)).status).toBe('expired')
  expect(await refusalOf(client.vectorStores.search(store.id, { query: 'x' }))).toMatchObject({ status: 400 })
})
