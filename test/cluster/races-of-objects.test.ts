/** Requests of one user on several processes that change, at the same moment, the same file, store, response or batch. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { eventually } from '#test/support/app/documents-app.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const timeoutSeconds = 10
const count = 8
const rounds = [1, 2, 3]

interface Answer {
  readonly status: number
  readonly body: { readonly id: string; readonly status: string; readonly data: readonly { readonly id: string }[] }
}

describe.skipIf(serverUrl === undefined)(`at the same moment on two processes${reason}`, () => {
  let cluster: Cluster
  let replicas: readonly TestReplica[]
  beforeAll(async () => {
    cluster = await makeCluster(String(serverUrl), timeoutSeconds)
    replicas = [await cluster.start(), await cluster.start()]
    const provider = await replicas[0]!.admin<{ id: string }>('POST', '/providers', { name: 'demo', kind: 'demo' })
    await replicas[0]!.admin('POST', '/models', { name: 'demo-chat', provider_id: provider.id })
    for (const replica of replicas)
      await eventually(async () => (await replica.modelsOf(cluster.userKey)).includes('demo-chat'))
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  async function call(turn: number, method: string, path: string, body?: object): Promise<Answer> {
    const answer = await fetch(`${replicas[turn % 2]!.url}/ai/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${cluster.userKey}`,
        ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      },
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Answer['body'] }
  }
  const many = (each: (turn: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, at) => each(at)))
  const idOf = async (path: string, body: object) => (await call(0, 'POST', path, body)).body.id
  function aFile(text: string, purpose = 'assistants'): Promise<string> {
    const form = new FormData()
    form.set('purpose', purpose)
    form.set('file', new File([text], purpose === 'batch' ? 'a.jsonl' : 'a.txt'))
    return idOf('/files', form)
  }
  const rowsOf = async (query: string) => cluster.schema.run(query)

  test.each(rounds)('a file that is added to a store many times is there once (%d)', async (round) => {
    const store = await idOf('/vector_stores', {})
    const file = await aFile(`Leave in year ${round}`)
    const answers = await many((turn) => call(turn, 'POST', `/vector_stores/${store}/files`, { file_id: file }))
    expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200))
    expect((await call(1, 'GET', `/vector_stores/${store}/files`)).body.data.map(({ id }) => id)).toEqual([file])
  })

  test.each(rounds)('a file that is added while it or the store is deleted is nowhere (%d)', async (round) => {
    const store = await idOf('/vector_stores', {})
    const file = await aFile(`Leave in the month ${round}`)
    const answers = await many((turn) => {
      if (turn === 3 + (round % 3)) return call(turn, 'DELETE', `/files/${file}`)
      if (turn === 7) return call(turn, 'DELETE', `/vector_stores/${store}`)
      return call(turn, 'POST', `/vector_stores/${store}/files`, { file_id: file })
    })
    for (const { status } of answers) expect([200, 404]).toContain(status)
    expect(await rowsOf(`select 1 from vector_store_files where store_id = '${store}' or file_id = '${file}'`)).toEqual(
      [],
    )
    expect(await rowsOf(`select 1 from documents where category = '${store}'`)).toEqual([])
  })

  test.each(rounds)('an upload is completed once or cancelled (%d)', async () => {
    const about = { filename: 'x.txt', bytes: 5, mime_type: 'text/plain', purpose: 'assistants' }
    const upload = await idOf('/uploads', about)
    const form = new FormData()
    form.set('data', new File(['hello'], 'part'))
    const part = await idOf(`/uploads/${upload}/parts`, form)
    const before = Number((await rowsOf('select count(*) as n from files'))[0]!['n'])
    const answers = await many((turn) =>
      turn === 6
        ? call(turn, 'POST', `/uploads/${upload}/cancel`)
        : call(turn, 'POST', `/uploads/${upload}/complete`, { part_ids: [part] }),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
    for (const { status } of answers) expect([200, 400, 409]).toContain(status)
    // The part is gone; a file took its place, or nothing.
    const after = Number((await rowsOf('select count(*) as n from files'))[0]!['n'])
    expect(after - before).toBe(answers[6]!.status === 200 ? -1 : 0)
  })

  test.each(rounds)('a response that is cancelled and deleted while it is made leaves nothing (%d)', async () => {
    const response = await idOf('/responses', { model: 'demo-chat', input: 'Hello', background: true })
    const answers = await many((turn) => {
      if (turn % 4 === 2) return call(turn, 'DELETE', `/responses/${response}`)
      return turn % 2 === 1
        ? call(turn, 'POST', `/responses/${response}/cancel`)
        : call(turn, 'GET', `/responses/${response}`)
    })
    for (const { status } of answers) expect([200, 400, 404]).toContain(status)
    expect((await call(0, 'GET', `/responses/${response}`)).status).toBe(404)
    expect(await rowsOf(`select 1 from kept_texts where owner_id = '${response}'`)).toEqual([])
  })

  test.each(rounds)('conversations that grow and are deleted count their bytes once (%d)', async () => {
    const ids = [await idOf('/conversations', {}), await idOf('/conversations', {})]
    const item = { type: 'message', role: 'user', content: 'x'.repeat(1000) }
    const answers = await many((turn) => {
      if (turn > 4) return call(turn, 'DELETE', `/conversations/${ids[0]}`)
      return call(turn, 'POST', `/conversations/${ids[turn % 2]}/items`, { items: [item] })
    })
    for (const { status } of answers) expect([200, 404]).toContain(status)
    expect((await call(0, 'GET', `/conversations/${ids[0]}`)).status).toBe(404)
    await eventually(async () => {
      const [sums] = await rowsOf(`select coalesce((select sum(bytes) from kept_responses), 0)
        + coalesce((select sum(bytes) from conversations), 0) - coalesce((select sum(bytes) from kept_bytes), 0) as n`)
      return Number(sums!['n']) === 0
    })
  })

  test.each(rounds)('a batch that is cancelled many times is cancelled, and says so (%d)', async (round) => {
    const body = { model: 'demo-chat', messages: [{ role: 'user', content: `Line ${round}` }] }
    const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body })
    const file = await aFile(`${line}\n`, 'batch')
    const about = { input_file_id: file, endpoint: '/v1/chat/completions', completion_window: '24h' }
    const batch = await idOf('/batches', about)
    for (const { status, body: answered } of await many((turn) => call(turn, 'POST', `/batches/${batch}/cancel`)))
      if (status === 200) expect(answered.status).toStartWith('cancell')
      else
        expect([status, JSON.stringify(answered)]).toEqual([
          409,
          expect.stringMatching(/status '(cancelled|completed)'/),
        ])
  })
})
