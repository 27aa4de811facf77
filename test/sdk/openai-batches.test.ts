/** The official OpenAI client uploads files and runs batches, as it does at OpenAI. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { APIError, toFile } from 'openai'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { until } from '#test/support/until.ts'
import { gate, json, openAiAnswer } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import { openAiClient } from './openai-client.ts'

let gateway: GatewayApp
let client: OpenAI
beforeAll(async () => {
  gateway = await startGateway()
  client = openAiClient(gateway)
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(() => gateway.upstream.script(openAiAnswer))

const url = '/v1/chat/completions'
type Ended = OpenAI.Batch['status']
const ends: readonly Ended[] = ['completed', 'failed', 'expired', 'cancelled']

/** A line of an input file. */
function line(customId: string, body: object = {}, more: object = {}): object {
  const messages = [{ role: 'user', content: customId }]
  return { custom_id: customId, method: 'POST', url, body: { model: 'plain', messages, ...body }, ...more }
}

async function upload(lines: readonly (object | string)[]): Promise<OpenAI.FileObject> {
  const text = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n')
  return client.files.create({ file: await toFile(Buffer.from(text), 'input.jsonl'), purpose: 'batch' })
}

async function start(lines: readonly (object | string)[]): Promise<OpenAI.Batch> {
  const { id } = await upload(lines)
  return client.batches.create({ input_file_id: id, endpoint: url, completion_window: '24h' })
}

async function ended(id: string): Promise<OpenAI.Batch> {
  let batch: OpenAI.Batch | undefined
  await until(async () => {
    batch = await client.batches.retrieve(id)
    return ends.includes(batch.status)
  })
  return batch!
}

interface OutputLine {
  readonly id: string
  readonly custom_id: string
  readonly response: { readonly status_code: number; readonly body: Record<string, unknown> } | null
  readonly error: { readonly code: string } | null
}

async function linesOf(fileId: string | null | undefined): Promise<readonly OutputLine[]> {
  if (fileId === null || fileId === undefined) return []
  const text = await (await client.files.content(fileId)).text()
  return text.split('\n').flatMap((each) => (each === '' ? [] : [JSON.parse(each) as OutputLine]))
}

async function failure(promise: PromiseLike<unknown>): Promise<readonly [number | undefined, unknown]> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(thrown instanceof APIError)) throw new Error(`no APIError came, but ${String(thrown)}`)
  return [thrown.status as number | undefined, thrown.code]
}

/** A field that a newer SDK adds does not compile until it is named here. Nobody fills `status_details` any more. */
const knownFields = {
  batch: {
    id: 1,
    completion_window: 1,
    created_at: 1,
    endpoint: 1,
    input_file_id: 1,
    object: 1,
    status: 1,
    cancelled_at: 1,
    cancelling_at: 1,
    completed_at: 1,
    error_file_id: 1,
    errors: 1,
    expired_at: 1,
    expires_at: 1,
    failed_at: 1,
    finalizing_at: 1,
    in_progress_at: 1,
    metadata: 1,
    model: 1,
    output_file_id: 1,
    request_counts: 1,
    usage: 1,
  } satisfies Record<keyof OpenAI.Batch, 1>,
  file: {
    id: 1,
    bytes: 1,
    created_at: 1,
    filename: 1,
    object: 1,
    purpose: 1,
    status: 1,
    expires_at: 1,
  } satisfies Record<Exclude<keyof OpenAI.FileObject, 'status_details'>, 1>,
  upload: {
    id: 1,
    bytes: 1,
    created_at: 1,
    expires_at: 1,
    filename: 1,
    object: 1,
    purpose: 1,
    status: 1,
    file: 1,
  } satisfies Record<keyof OpenAI.Uploads.Upload, 1>,
  part: { id: 1, created_at: 1, object: 1, upload_id: 1 } satisfies Record<keyof OpenAI.Uploads.UploadPart, 1>,
}

describe('files', () => {
  test('a file comes back as it was uploaded, and is gone when it is deleted', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(60_000))
    const file = await client.files.create({ file: await toFile(bytes, 'päge.bin'), purpose: 'user_data' })
    expect(file).toMatchObject({ object: 'file', bytes: 60_000, filename: 'päge.bin', purpose: 'user_data' })
    expect(await client.files.retrieve(file.id)).toEqual(file)
    const content = await client.files.content(file.id)
    expect(new Uint8Array(await content.arrayBuffer())).toEqual(bytes)
    expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true })
    expect(await failure(client.files.retrieve(file.id))).toEqual([404, 'file_not_found'])
  })

  test('all files of a purpose are listed, page by page', async () => {
    const ids: string[] = []
    for (let at = 0; at < 5; at += 1)
      ids.push((await client.files.create({ file: await toFile(Buffer.from('x')), purpose: 'assistants' })).id)
    const listed: string[] = []
    for await (const file of client.files.list({ purpose: 'assistants', limit: 2, order: 'asc' })) listed.push(file.id)
    expect(listed).toEqual(ids)
    const newest = await client.files.list({ purpose: 'assistants', limit: 3 })
    expect(newest.data.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 3))
  })

  test('a file expires when its client says so', async () => {
    const expiring = { anchor: 'created_at', seconds: 3600 } as const
    const file = await toFile(Buffer.from('x'), 'x')
    const { created_at: at, expires_at: end } = await client.files.create({
      file,
      purpose: 'vision',
      expires_after: expiring,
    })
    expect(end).toBe(at + 3600)
  })
})

describe('batches', () => {
  test('a batch answers each line once, with the id of its client', async () => {
    const ids = Array.from({ length: 250 }, (_, at) => `line ${at}`)
    const created = await start(ids.map((id) => line(id)))
    expect(created).toMatchObject({ object: 'batch', status: 'validating', endpoint: url, completion_window: '24h' })
    const batch = await ended(created.id)
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 250, completed: 250, failed: 0 } })
    expect(batch.error_file_id).toBeNull()
    const lines = await linesOf(batch.output_file_id)
    expect(lines.map(({ custom_id: id }) => id)).toEqual(ids)
    expect(new Set(lines.map(({ id }) => id)).size).toBe(250)
    expect(lines[0]).toMatchObject({ error: null, response: { status_code: 200, body: { object: 'chat.completion' } } })
    const output = await client.files.retrieve(batch.output_file_id!)
    const { size } = await (await client.files.content(output.id)).blob()
    expect(output).toMatchObject({ purpose: 'batch_output', bytes: size })
    const { input_tokens: input, output_tokens: generated, total_tokens: total } = batch.usage!
    expect(batch.model).toBe('plain')
    expect(input).toBeGreaterThan(0)
    expect(total).toBe(input + generated)
  })

  test('batches, files and uploads have every field that the SDK knows', async () => {
    const data = (): Promise<File> => toFile(Buffer.from('x'), 'x')
    const expiring = { anchor: 'created_at', seconds: 3600 } as const
    const begun = await client.uploads.create({ bytes: 1, filename: 'x', mime_type: 'text/jsonl', purpose: 'batch' })
    const answers = {
      batch: await ended((await start([line('one')])).id),
      file: await client.files.create({ file: await data(), purpose: 'batch', expires_after: expiring }),
      upload: begun,
      part: await client.uploads.parts.create(begun.id, { data: await data() }),
    }
    for (const [name, answer] of Object.entries(answers))
      for (const field of Object.keys(knownFields[name as keyof typeof answers])) expect(answer).toHaveProperty(field)
  })

  test('lines that the provider refuses are in the file of errors, with its answer', async () => {
    gateway.upstream.script((request) =>
      JSON.stringify(request.json()).includes('bad') ? json(errorObject('no'), 400) : openAiAnswer(request),
    )
    const { id } = await start([line('good'), line('bad'), line('also good')])
    const batch = await ended(id)
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 3, completed: 2, failed: 1 } })
    expect((await linesOf(batch.output_file_id)).map((each) => each.custom_id)).toEqual(['good', 'also good'])
    const [error] = await linesOf(batch.error_file_id)
    expect(error).toMatchObject({ custom_id: 'bad', error: null, response: { status_code: 400 } })
    expect(error!.response!.body).toHaveProperty('error.message')
  })

  test('a file that is not valid makes the batch fail, with the line of each fault', async () => {
    const { id } = await start([
      line('a'),
      'not json',
      '',
      line('a'),
      line('b', {}, { url: '/v1/embeddings' }),
      line('c', {}, { method: 'GET' }),
      line('d', { model: 'nobody' }),
      line('e', { stream: true }),
      '[]',
    ])
    const { status, errors } = await ended(id)
    expect(status).toBe('failed')
    expect(errors!.data!.map(({ code, line: at }) => [at, code])).toEqual([
      [2, 'invalid_json_line'],
      [4, 'duplicate_custom_id'],
      [5, 'url_mismatch'],
      [6, 'invalid_method'],
      [7, 'model_not_found'],
      [8, 'unsupported_value'],
      [9, 'invalid_json_line'],
    ])
  })

  test('an empty file makes the batch fail', async () => {
    const { errors } = await ended((await start(['', '  '])).id)
    expect(errors!.data!.map(({ code }) => code)).toEqual(['empty_file'])
  })

  test('what is done can be read while the batch runs; a cancelled batch accounts for every line', async () => {
    gateway.upstream.script((request) =>
      JSON.stringify(request.json()).includes('slow') ? [gate, ...openAiAnswer(request)] : openAiAnswer(request),
    )
    const { id } = await start([line('quick'), line('slow one'), line('slow two')])
    let running: OpenAI.Batch | undefined
    await until(async () => {
      running = await client.batches.retrieve(id)
      return running.request_counts?.completed === 1
    })
    expect(running!.status).toBe('in_progress')
    expect((await linesOf(running!.output_file_id)).map((each) => each.custom_id)).toEqual(['quick'])
    expect(await failure(client.files.delete(running!.input_file_id))).toEqual([409, 'file_in_use'])
    expect((await client.batches.cancel(id)).status).toBe('cancelling')
    const batch = await ended(id)
    expect(batch).toMatchObject({ status: 'cancelled', request_counts: { total: 3, completed: 1, failed: 2 } })
    expect((await linesOf(batch.output_file_id)).map((each) => each.custom_id)).toEqual(['quick'])
    expect((await linesOf(batch.error_file_id)).map((each) => [each.custom_id, each.error!.code])).toEqual([
      ['slow one', 'batch_cancelled'],
      ['slow two', 'batch_cancelled'],
    ])
    expect(await failure(client.batches.cancel(id))).toEqual([409, 'batch_ended'])
  })

  test('a batch whose window is over has expired, and accounts for every line', async () => {
    gateway.upstream.script((request) =>
      JSON.stringify(request.json()).includes('slow') ? [gate, ...openAiAnswer(request)] : openAiAnswer(request),
    )
    const { id } = await start([line('quick'), line('slow')])
    await until(async () => (await client.batches.retrieve(id)).request_counts?.completed === 1)
    gateway.advance(25 * 3_600_000)
    const batch = await ended(id)
    expect(batch).toMatchObject({ status: 'expired', request_counts: { total: 2, completed: 1, failed: 1 } })
    expect((await linesOf(batch.error_file_id)).map((each) => [each.custom_id, each.error!.code])).toEqual([
      ['slow', 'batch_expired'],
    ])
  })

  test('batches are listed, the newest first, page by page', async () => {
    const first = await start([line('a')])
    const second = await start([line('a')])
    const listed: string[] = []
    for await (const batch of client.batches.list({ limit: 1 })) listed.push(batch.id)
    expect(listed.slice(0, 2)).toEqual([second.id, first.id])
  })

  test('metadata and windows other than a day are kept', async () => {
    const { id } = await upload([line('a')])
    const window = '1h' as '24h'
    const asked = { input_file_id: id, endpoint: url, completion_window: window, metadata: { job: 'nightly' } } as const
    const batch = await client.batches.create(asked)
    expect(batch).toMatchObject({ completion_window: '1h', metadata: { job: 'nightly' } })
    expect(batch.expires_at).toBe(batch.created_at + 3600)
  })
})
