/** POST /mcp with the official client: tools to search, list and read documents, under the rights of the caller. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import type { StockKey } from '#test/support/app/gateway-catalog.ts'

const app = documentsOfFile()

const chapters = Array.from(
  { length: 40 },
  (_, at) =>
    `## Chapter ${at}\n\nIn chapter ${at} the traveller reaches town number ${at} and stays there for 🌍 nights.`,
)
const book = `# Travels\n\n${chapters.join('\n\n')}\n`
let bookId: string
let ownId: string
beforeAll(async () => {
  const wait = { wait_for_completion: true, chunk_units: 24 }
  ;[bookId = ''] = await app().accepted([{ name: 'travels.md', bytes: book, owners: 'everyone' }], wait)
  ;[ownId = ''] = await app().accepted([{ name: 'diary.txt', bytes: 'The diary is about a secret lighthouse.' }], wait)
})

async function connected(key: StockKey = app().keys.main, mode: 'legacy' | 'auto' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const headers = { authorization: `Bearer ${key.secret}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app().url}/mcp`), { requestInit: { headers } }))
  return client
}

interface Passage {
  readonly doc_id: string
  readonly name: string
  readonly chunk: number
  readonly heading_path: readonly string[]
  readonly text: string
}

/** The structured content of a call, whose text is for models that read text only. */
async function call<T>(client: Client, name: string, input: object): Promise<T> {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: { ...input } })
  expect([isError ?? false, content]).toEqual([false, [{ type: 'text', text: expect.any(String) }]])
  return structuredContent as T
}

async function refusal(client: Client, name: string, input: object): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: { ...input } })
  expect(isError).toBe(true)
  return (content as { text: string }[])[0]!.text
}

describe.each(['legacy', 'auto'] as const)('a client whose protocol is %s', (mode) => {
  test('finds the tools, each with a schema of what it takes and gives, and that it changes nothing', async () => {
    const client = await connected(app().keys.main, mode)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_documents', 'list_documents', 'read_document'])
    for (const tool of tools)
      expect(tool).toMatchObject({
        description: expect.stringMatching(/\.$/),
        inputSchema: { type: 'object', additionalProperties: false },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      })
    expect(client.getServerVersion()).toMatchObject({ name: 'sluice' })
    await client.close()
  })

  test('finds a passage, and reads on from its place', async () => {
    const client = await connected(app().keys.main, mode)
    const { passages } = await call<{ passages: Passage[] }>(client, 'search_documents', {
      query: 'the traveller reaches town number 17',
      doc_ids: [bookId],
      top_k: 50,
    })
    const hit = passages.find(({ text }) => text.includes('town number 17 '))!
    expect(hit).toMatchObject({ doc_id: bookId, name: 'travels.md', heading_path: ['Travels', 'Chapter 17'] })
    const read = await call<{ text: string; next: number }>(client, 'read_document', {
      doc_id: bookId,
      from: hit.chunk,
      chunks: 3,
    })
    expect(read.text.startsWith(hit.text)).toBe(true)
    expect(read.next).toBe(hit.chunk + 3)
    await client.close()
  })
})

test.each([1, 7, 100])('parts of %i chunks together are the whole text', async (chunks) => {
  const client = await connected()
  let from: number | null = 0
  const texts: string[] = []
  while (from !== null) {
    const part: { text: string; next: number | null } = await call(client, 'read_document', {
      doc_id: bookId,
      from,
      chunks,
    })
    texts.push(part.text)
    from = part.next
  }
  expect(texts.join('').trim()).toBe(book.trim())
  await client.close()
})

test('a document of others is neither found, listed nor read; their own is', async () => {
  const [own, others] = [await connected(), await connected(app().keys.other)]
  const found = async (client: Client) =>
    (await call<{ passages: Passage[] }>(client, 'search_documents', { query: 'secret lighthouse diary' })).passages
  const listed = async (client: Client) =>
    (await call<{ data: { doc_id: string }[] }>(client, 'list_documents', {})).data.map(({ doc_id: id }) => id)
  expect((await found(own)).map(({ doc_id: id }) => id)).toContain(ownId)
  expect((await found(others)).map(({ doc_id: id }) => id)).not.toContain(ownId)
  expect([(await listed(own)).includes(ownId), (await listed(others)).includes(ownId)]).toEqual([true, false])
  expect(await refusal(others, 'read_document', { doc_id: ownId })).toBe('No document with this id is visible to you.')
  await Promise.all([own.close(), others.close()])
})

test('pages of a list give each document once; a cursor that was not given is refused', async () => {
  const client = await connected()
  interface Page {
    readonly data: readonly { readonly doc_id: string }[]
    readonly next_cursor: string | null
  }
  const ids: string[] = []
  let cursor: string | null | undefined
  do {
    const page: Page = await call(client, 'list_documents', { limit: 1, ...(cursor && { cursor }) })
    ids.push(...page.data.map(({ doc_id: id }) => id))
    cursor = page.next_cursor
  } while (cursor !== null)
  expect(ids.sort()).toEqual([bookId, ownId].sort())
  expect(await refusal(client, 'list_documents', { cursor: 'x' })).toContain('cursor')
  await client.close()
})

test.each([
  ['search_documents', {}],
  ['search_documents', { query: ' ' }],
  ['search_documents', { query: 'x', top_k: 51 }],
  ['search_documents', { query: 'x', unknown: 1 }],
  ['search_documents', { query: 'x', doc_ids: ['../etc'] }],
  ['read_document', { doc_id: 'x' }],
  ['read_document', { doc_id: crypto.randomUUID() }],
  ['list_documents', { state: 'asleep' }],
])('%s with %p is told what is wrong', async (name, input) => {
  const client = await connected()
  expect((await refusal(client, name, input)).length).toBeGreaterThan(20)
  await client.close()
})

test('twenty calls at once are answered each with its own', async () => {
  const client = await connected()
  const texts = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      call<{ text: string }>(client, 'read_document', { doc_id: bookId, from: at, chunks: 1 }),
    ),
  )
  expect(new Set(texts.map(({ text }) => text)).size).toBe(20)
  await client.close()
})
