/** Sound and video: a transcription model of the gateway writes down what is said and when. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, startDocuments } from '#test/support/app/documents-app.ts'
import { mp3, wav } from '#test/support/documents/recordings.ts'
import { parseMultipart, readPart } from '#http/multipart.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { until } from '#test/support/until.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'
import type { ReceivedRequest } from '#test/support/upstream/upstream.ts'

const app = documentsOfFile({
  set: ['documents.max_attempts=1', 'documents.transcription_part_bytes=65536'],
})
const listens = { reader: { name: 'transcription', model: 'plain-alias' } }

interface Sent {
  readonly fields: Readonly<Record<string, string>>
  readonly fileName: string | null
  readonly file: Buffer
}

/** The form that the model's server was sent. */
async function sent(request: ReceivedRequest): Promise<Sent> {
  const boundary =
    /boundary="?([^";]+)/.exec(String(new Headers(request.headers as never).get('content-type')))?.[1] ?? ''
  const fields: Record<string, string> = {}
  let [fileName, file]: [string | null, Buffer] = [null, Buffer.alloc(0)]
  const body = (async function* () {
    yield request.body
  })()
  for await (const part of parseMultipart(body, boundary)) {
    const bytes = (await readPart(part, 10_000_000)) ?? Buffer.alloc(0)
    if (part.fileName === null) fields[part.name] = bytes.toString()
    else [fileName, file] = [part.fileName, bytes]
  }
  return { fields, fileName, file }
}

const says = (...segments: readonly (readonly [number, string])[]) =>
  json({
    task: 'transcribe',
    language: 'english',
    duration: 90,
    text: segments.map(([, text]) => text).join(' '),
    segments: segments.map(([start, text], id) => ({ id, start, end: start + 1, text: ` ${text}` })),
    usage: { type: 'duration', seconds: 90 },
  })

let made = 0
/** A recording that no test has imported before. */
function recording(frames = 10): { readonly name: string; readonly bytes: string } {
  made += 1
  return { name: 'talk.mp3', bytes: Buffer.concat([mp3(frames), Buffer.from(`TAG${made}`)]).toString('base64') }
}

describe('a recording', () => {
  test('is sent as it is, and what the model heard is its text, with times as positions', async () => {
    app().upstream.script(says([0, 'Good morning.'], [2.5, 'Welcome to the harbour.'], [61, 'Now the weather.']))
    const record = await app().imported(recording(), listens)
    expect(record).toMatchObject({
      state: 'completed',
      media_type: 'audio/mpeg',
      reader: { name: 'transcription', model: 'plain' },
      progress: { pages: { done: 2, total: 2 } },
    })
    expect(record.warnings).toContainEqual(expect.stringContaining('transcription model'))
    const request = app().upstream.requests.at(-1)!
    expect(request.path).toEndWith('/audio/transcriptions')
    const { fields, fileName, file } = await sent(request)
    expect(fields).toEqual({
      model: 'upstream-model',
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'segment',
    })
    expect(fileName).toBe('recording.mp3')
    expect(file.subarray(0, 4170).equals(mp3(10))).toBe(true)
    const [hit] = await app().hits({ query: 'weather', doc_id: record.doc_id })
    expect(hit?.text).toContain('Now the weather.')
    const chunks = await app().chunks((await app().imported(recording(), { ...listens, chunker: 'page' })).doc_id)
    expect(chunks.map(({ page, page_label: label, text }) => [page, label, text.trim()])).toEqual([
      [1, '00:00:00', 'Good morning. Welcome to the harbour.'],
      [2, '00:01:01', 'Now the weather.'],
    ])
  })

  test('that is longer than the model takes is sent in parts, whose times go on', async () => {
    app().upstream.script(says([1, 'One.']))
    const seen = app().upstream.requests.length
    const bytes = wav(10).toString('base64')
    const record = await app().imported({ name: 'a.wav', bytes }, { ...listens, chunker: 'page' })
    const requests = app().upstream.requests.slice(seen)
    expect(requests.length).toBe(3)
    const parts = await Promise.all(requests.map(sent))
    for (const { file } of parts) {
      expect(file.length).toBeLessThanOrEqual(65_536)
      expect(file.toString('latin1', 0, 4)).toBe('RIFF')
    }
    expect(Buffer.concat(parts.map(({ file }) => file.subarray(44))).equals(wav(10).subarray(44))).toBe(true)
    expect((await app().chunks(record.doc_id)).map(({ text }) => text.trim())).toEqual(['One. One. One.'])
  })

  test('is sent with the words and the language of the request', async () => {
    app().upstream.script(says([0, 'Sluice.']))
    const reader = { name: 'transcription', model: 'plain', prompt: 'Names: Sluice.\r\n--x', language: 'de' }
    await app().imported(recording(), { reader })
    const { fields } = await sent(app().upstream.requests.at(-1)!)
    expect(fields).toMatchObject({ prompt: 'Names: Sluice.\r\n--x', language: 'de' })
  })

  test('is asked for without times of a model that has none, and a warning says so', async () => {
    const formats: string[] = []
    app().upstream.script((request) => {
      const isTimed = Buffer.from(request.body).includes('verbose_json')
      formats.push(isTimed ? 'verbose_json' : 'json')
      return isTimed ? json(errorObject('response_format is not supported'), 400) : json({ text: 'All at once.' })
    })
    const record = await app().imported(recording(), listens)
    expect(formats).toEqual(['verbose_json', 'json'])
    expect(record.state).toBe('completed')
    expect(record.warnings).toContainEqual(expect.stringContaining('no times'))
  })

  test('in which nothing is said has no text, and the code of the call is that of the record', async () => {
    app().upstream.script(json({ text: '', segments: [] }))
    expect(await app().imported(recording(), listens)).toMatchObject({ state: 'failed', error: { code: 'no_text' } })
    app().upstream.script(json(errorObject('bad key'), 401))
    const { error } = await app().imported(recording(), listens)
    expect(error).toMatchObject({ code: 'upstream_auth_failed', stage: 'reading' })
    app().upstream.script(json({ nothing: true }))
    expect((await app().imported(recording(), listens)).error?.code).toBe('upstream_invalid_response')
  })

  test('of a format that is not divided is refused when it is too long for the model', async () => {
    const bytes = Buffer.concat([Buffer.from('OggS\0'), Buffer.alloc(70_000)]).toString('base64')
    const { error } = await app().imported({ name: 'a.ogg', bytes }, listens)
    expect(error?.code).toBe('too_complex')
    expect(error?.message).toContain('MP3')
  })

  test('is counted for the account of its importer', async () => {
    app().upstream.script(says([0, 'Counted.']))
    await app().imported(recording(), listens)
    const ours = async () =>
      (await app().usageRows()).find(
        ({ endpoint, units }) => endpoint === 'audio/transcriptions' && units?.includes('90000') === true,
      )
    await until(async () => (await ours()) !== undefined)
    expect(await ours()).toMatchObject({ status: 200, modelServed: 'plain', keyId: null })
    expect((await ours())?.userId).not.toBeNull()
  })
})

test('without a model sound and video are refused at the import, and the message says what to do', async () => {
  const files = [
    ['ID3\x03\0\0\0\0\0\0', 'a.mp3'],
    ['RIFF\0\0\0\0WAVEfmt ', 'a.wav'],
    ['\0\0\0\x20ftypM4A ', 'a.m4a'],
    ['\0\0\0\x20ftypisom', 'a.mp4'],
    ['OggS\0\0', 'a.ogg'],
    ['\x1a\x45\xdf\xa3\x01', 'a.webm'],
    ['fLaC\0\0', 'a.flac'],
  ] as const
  for (const [start, name] of files) {
    const bytes = Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(600)]).toString('base64')
    expect(await app().invalid({ name, bytes }, 'unsupported_type')).toContain('documents.transcription_model')
  }
})

test('a text is not for the reader of recordings', async () => {
  const refused = await app().imported({ name: 'a.txt', bytes: 'Plain text.' }, listens)
  expect(refused).toMatchObject({ state: 'failed', error: { code: 'unsupported_type' } })
})

test('the server’s own model listens for those who may use it', async () => {
  await using own = await startDocuments({ set: ['documents.transcription_model=private'] })
  own.upstream.script(says([0, 'Heard by the model of the server.']))
  const record = await own.imported(recording(), {}, { key: own.keys.other })
  expect(record).toMatchObject({ state: 'completed', reader: { name: 'auto', transcription_model: 'private' } })
  await own.invalid(recording(), 'unsupported_type')
})
