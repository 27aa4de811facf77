/**
 * A folder of many kinds of files, as its owner lives through it: imported by the command line, found by command
 * line and API, talked about with a model, deleted, and gone. The server and the command line are the real binary.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { Installation, type RunningServer } from '../cli/sluice.ts'
import { eventually, type SearchHitOnWire } from '#test/support/app/documents-app.ts'
import { libraryFiles, writeLibrary } from '#test/support/documents/library-folder.ts'
import { openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'
import { startUpstream, type Upstream } from '#test/support/upstream/upstream.ts'

interface Imported {
  readonly name: string
  readonly doc_id: string
  readonly state: string
}

interface Cited {
  readonly citations?: readonly {
    readonly index: number
    readonly doc_id: string
    readonly name: string
    readonly page: number | null
    readonly text: string
  }[]
}

// Small chunks, so that what is on two pages is not in one.
const everyone = ['--category', 'library', '--owner', 'everyone', '--chunk-units', '48']

let sluice: Installation
let server: RunningServer
let upstream: Upstream
let key: string
let imported: readonly Imported[]
beforeAll(async () => {
  sluice = new Installation({ UPSTREAM_KEY: 'canary' })
  upstream = await startUpstream()
  server = await sluice.start(['--json'])
  key = server.started.first_start!.api_key
  const added = await sluice.run([
    'providers',
    'add',
    'up',
    '--base-url',
    upstream.url,
    '--credential-env',
    'UPSTREAM_KEY',
  ])
  expect(added.code).toBe(0)
  writeLibrary(join(sluice.directory, 'library'))
  imported = await sluice.json<Imported[]>(['import', 'library', ...everyone])
}, 60_000)
afterAll(async () => {
  await sluice[Symbol.asyncDispose]()
  await upstream.close()
})

const call = (method: string, path: string, body?: object): Promise<Response> =>
  fetch(server.address + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

const idOf = (name: string): string => imported.find((each) => each.name === name)!.doc_id

async function hitsOf(query: string): Promise<readonly SearchHitOnWire[]> {
  const response = await call('POST', '/api/v1/search', { query, top_k: 3, category: 'library' })
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: SearchHitOnWire[] }).data
}

test('every file is read as what it is', async () => {
  const names = libraryFiles.map(({ name }) => name).toSorted()
  expect(imported.map(({ name }) => name).toSorted()).toEqual(names)
  expect(imported.every(({ state }) => state === 'completed')).toBe(true)
  const types = await Promise.all(
    libraryFiles.map(async ({ name }) => {
      const { media_type: type } = (await (await call('GET', `/api/v1/document/${idOf(name)}`)).json()) as {
        media_type: string
      }
      return [name, type]
    }),
  )
  expect(types).toEqual(libraryFiles.map(({ name, mediaType }) => [name, mediaType]))
})

for (const { name, question, sentence, page, heading } of libraryFiles) {
  test(`${name} is found by its own sentence, with the place where it stands`, async () => {
    const [best] = await hitsOf(question)
    expect(best).toMatchObject({ doc_id: idOf(name), name, text: expect.stringContaining(sentence), page })
    expect(best?.heading_path.at(-1) ?? null).toBe(heading)
    const shown = await sluice.run(['search', question, '--category', 'library'])
    expect(shown.code).toBe(0)
    const [head = '', text = ''] = shown.stdout.split('\n')
    expect(head).toStartWith(`1. ${name}`)
    if (heading !== null) expect(head).toContain(heading)
    expect(text).toContain(sentence)
  })
}

/** A chat over the library by the official SDK, whose types do not know the field. */
const chat = (question: string) => ({
  model: 'upstream-model',
  messages: [{ role: 'user' as const, content: question }],
  documents: { category: 'library', top_k: 3 },
})

test('a model is given the passages as numbered sources, and the answer names them, whole and streamed', async () => {
  const client = new OpenAI({ baseURL: `${server.address}/ai/v1`, apiKey: key, maxRetries: 0 })
  const { name, question, sentence } = libraryFiles[0]!
  upstream.script(openAiAnswer)
  const answer = (await client.chat.completions.create(chat(question))) as OpenAI.ChatCompletion & Cited
  expect(answer.choices[0]?.message.content).toBe('Hello, wörld 🌊')
  expect(answer.citations?.[0]).toMatchObject({ index: 1, doc_id: idOf(name), name, page: 2 })
  expect(answer.citations?.map(({ index }) => index)).toEqual(answer.citations!.map((_, at) => at + 1))

  const received = upstream.requests.at(-1)!.json() as { messages: { role: string; content: string }[] }
  const [system, user] = received.messages
  expect([system?.role, user]).toEqual(['system', { role: 'user', content: question }])
  expect(system?.content).toContain(`[1] ${name}, page 2`)
  for (const { index } of answer.citations!) expect(system?.content).toMatch(new RegExp(`\\[${index}\\] \\S`))
  expect(answer.citations?.[0]?.text).toContain(sentence)
  expect(system?.content).toContain(sentence)
  expect(received).not.toHaveProperty('documents')

  const streamed = await client.chat.completions.create({ ...chat(question), stream: true })
  const pieces: string[] = []
  const citing: Cited['citations'][] = []
  for await (const chunk of streamed) {
    pieces.push(chunk.choices[0]?.delta.content ?? '')
    const { citations } = chunk as typeof chunk & Cited
    if (citations !== undefined) citing.push(citations)
  }
  expect([pieces.join(''), citing]).toEqual(['Hello, wörld 🌊', [answer.citations]])
})

test('what is deleted is found by nobody, and no byte of it is left', async () => {
  for (const { doc_id: id } of imported) expect((await call('DELETE', `/api/v1/document/${id}`)).status).toBe(204)
  for (const { question } of libraryFiles) expect(await hitsOf(question)).toEqual([])
  expect((await sluice.run(['search', 'leave'])).stdout).toBe('Nothing was found.\n')
  const left = (folder: string) =>
    readdirSync(join(sluice.dataDirectory, 'documents', folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
  expect(left('blobs')).toEqual([])
  await eventually(() => left('incoming').length === 0)
  const again = await sluice.run(['import', 'library/plain.txt', ...everyone])
  expect(again.stdout).toBe('1 file: 1 completed\n')
})
