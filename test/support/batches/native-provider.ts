/**
 * A provider with batches of its own, in the words of OpenAI, Anthropic and Google. What happens to a batch is said by the name
 * of its model, which is a fault or `ok`; a batch runs until the test ends it. Live requests are answered, too.
 */
import { generated, googleBatch, googleLines, googleResult } from './google-batches.ts'

export const nativeFaults = [
  'ok',
  'shuffled',
  'partial',
  'refused-lines',
  'overloaded-lines',
  'failed',
  'lost-batch',
  'lost-file',
  'poll-errors',
  'lost-answer',
  'refused',
] as const

export type NativeFault = (typeof nativeFaults)[number]

interface Line {
  readonly custom_id: string
  readonly body: { readonly model: string }
  /** As Google has it. */
  readonly google?: NonNullable<ReturnType<typeof googleLines>>[number]
}

export interface ProviderBatch {
  readonly id: string
  readonly model: string
  readonly token: string
  readonly lines: readonly Line[]
  readonly createdAt: number
  state: 'running' | 'ended' | 'cancelled'
  polls: number
}

export interface NativeProvider extends Disposable {
  readonly url: string
  /** In Google's words. */
  readonly googleUrl: string
  /** In the order in which they were made. */
  readonly batches: readonly ProviderBatch[]
  /** Models of the live requests. */
  readonly live: readonly string[]
  /** Batches to come have ended as soon as they are made. */
  endsAtOnce: boolean
  /** Ends all that run, and those to come. */
  endAll(): void
}

const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
const messageUsage = { input_tokens: 1000, output_tokens: 100 }

/** @param createMs how long it takes until a batch that was sent is there */
export function startNativeProvider(createMs = 0): NativeProvider {
  const provider = new Simulator(createMs)
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => provider.answer(request) })
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    googleUrl: `http://127.0.0.1:${server.port}/v1beta`,
    batches: provider.batches,
    live: provider.live,
    get endsAtOnce() {
      return provider.endsAtOnce
    },
    set endsAtOnce(value) {
      provider.endsAtOnce = value
    },
    endAll: () => provider.endAll(),
    [Symbol.dispose]: () => void server.stop(true),
  }
}

class Simulator {
  readonly batches: ProviderBatch[] = []
  readonly live: string[] = []
  readonly #files = new Map<string, readonly Line[]>()
  endsAtOnce = false
  readonly #createMs: number

  constructor(createMs: number) {
    this.#createMs = createMs
  }

  endAll(): void {
    this.endsAtOnce = true
    for (const batch of this.batches) if (batch.state === 'running') batch.state = 'ended'
  }

  async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const [, , ...parts] = pathname.split('/')
    const [first, second, third] = parts
    if (pathname.includes('/v1beta/')) return this.#google(request, pathname.slice(pathname.indexOf('/v1beta/') + 8))
    if (pathname === '/v1/chat/completions') return this.#chat((await request.json()) as Line['body'])
    if (pathname === '/v1/files') return this.#upload(await request.formData())
    if (first === 'files') return this.#content(second ?? '')
    if (pathname === '/v1/batches' && request.method === 'POST') return this.#create(await request.json())
    if (pathname === '/v1/batches') return list(this.batches.map(openAiBatch))
    if (first === 'batches') return this.#batch(second ?? '', third, openAiBatch)
    if (first === 'messages') return this.#messages(request, parts)
    return Response.json({ object: 'list', data: [] })
  }

  async #messages(request: Request, [, batches, id, action]: readonly string[]): Promise<Response> {
    if (batches === undefined) return this.#message((await request.json()) as Line['body'])
    if (id === undefined && request.method === 'POST') return this.#createMessages(await request.json())
    if (id === undefined) return list(this.batches.map(messageBatch))
    return action === 'results' ? this.#results(id) : this.#batch(id, action, messageBatch)
  }

  /** @param path with a method behind a colon, if it has one */
  async #google(request: Request, path: string): Promise<Response> {
    if (request.headers.get('x-goog-api-key') !== 'key-of-google') return refusal(401)
    const [name = '', method] = path.split(':')
    const [kind, id = ''] = name.split('/')
    if (kind === 'files' && request.method === 'POST')
      return this.#uploadGoogle(googleLines(request.headers.get('content-type'), await request.text()))
    if (kind === 'files') return this.#googleContent(id.replace(/^out-/, ''))
    if (kind === 'models' && (method === 'generateContent' || method === 'embedContent')) {
      this.live.push(id)
      return Response.json(method === 'embedContent' ? { embedding: { values: [0, 0] } } : generated('live'))
    }
    if (kind === 'models') return this.#createGoogle(id, await request.json())
    if (id === '') return Response.json({ operations: this.batches.map(googleBatch) })
    return this.#batch(id, method, googleBatch)
  }

  #uploadGoogle(lines: ReturnType<typeof googleLines>): Response {
    if (lines === null) return refusal(400)
    const id = `files/in-${this.#files.size}`
    this.#files.set(
      id,
      lines.map((line) => ({ custom_id: line.key, body: { model: '' }, google: line })),
    )
    return Response.json({ file: { name: id } })
  }

  async #createGoogle(model: string, body: unknown): Promise<Response> {
    await Bun.sleep(this.#createMs)
    const { batch } = body as { readonly batch: { displayName: string; inputConfig: { fileName: string } } }
    const lines = this.#files.get(batch.inputConfig.fileName)
    if (lines === undefined) return refusal(400)
    const named = lines.map((line) => ({ ...line, body: { model } }))
    return this.#add(named, batch.displayName.replace(/^sluice-/, ''), googleBatch)
  }

  #googleContent(id: string): Response {
    const batch = this.batches.find((each) => each.id === id)
    if (batch === undefined || batch.model === 'lost-file') return refusal(404)
    const lines = new Map(batch.lines.map((line) => [line.custom_id, line.google]))
    return jsonl(resultsOf(batch).map(({ id: key, status }) => googleResult(key, status, lines.get(key))))
  }

  #chat({ model }: Line['body']): Response {
    this.live.push(model)
    return Response.json(completionOf('live', model))
  }

  #message({ model }: Line['body']): Response {
    this.live.push(model)
    return Response.json(messageOf('live', model))
  }

  async #upload(form: Awaited<ReturnType<Request['formData']>>): Promise<Response> {
    const file = form.get('file')
    if (!(file instanceof Blob) || form.get('purpose') !== 'batch') return refusal(400)
    const id = `file-${this.#files.size}`
    this.#files.set(id, linesOf(await file.text()))
    return Response.json({ id, object: 'file' })
  }

  async #create(body: unknown): Promise<Response> {
    await Bun.sleep(this.#createMs)
    const { input_file_id: fileId, endpoint, completion_window: window, metadata } = body as NewBatch
    const lines = this.#files.get(fileId)
    const isWrong = lines === undefined || window !== '24h' || endpoint !== '/v1/chat/completions'
    return isWrong ? refusal(400) : this.#add(lines, metadata.sluice, openAiBatch)
  }

  #createMessages(body: unknown): Response {
    const { requests } = body as { readonly requests: readonly { custom_id: string; params: Line['body'] }[] }
    const lines = requests.map(({ custom_id, params }) => ({ custom_id, body: params }))
    return this.#add(lines, lines[0]?.custom_id.split('_')[0] ?? '', messageBatch)
  }

  #add(lines: readonly Line[], token: string, onWire: (batch: ProviderBatch) => object): Response {
    const model = lines[0]?.body.model ?? ''
    if (model === 'refused') return refusal(400)
    const id = `batch_${this.batches.length}`
    const state = this.endsAtOnce ? 'ended' : 'running'
    const batch: ProviderBatch = { id, model, token, lines, createdAt: Date.now(), state, polls: 0 }
    this.batches.push(batch)
    // It was made, and the answer got lost behind it.
    return model === 'lost-answer' ? refusal(502) : Response.json(onWire(batch))
  }

  #batch(id: string, action: string | undefined, onWire: (batch: ProviderBatch) => object): Response {
    const batch = this.batches.find((each) => each.id === id)
    if (batch === undefined || batch.model === 'lost-batch') return refusal(404)
    if (action === 'cancel') batch.state = 'cancelled'
    else batch.polls += 1
    if (batch.model === 'poll-errors' && batch.polls < 3) return refusal(500)
    return Response.json(onWire(batch))
  }

  #content(id: string): Response {
    const batch = this.batches.find((each) => id === `out-${each.id}` || id === `err-${each.id}`)
    if (batch === undefined || batch.model === 'lost-file') return refusal(404)
    const isError = id.startsWith('err-')
    const lines = resultsOf(batch).filter(({ status }) => status >= 400 === isError)
    return jsonl(
      lines.map(({ id: customId, status, model }) => ({
        id: 'req',
        custom_id: customId,
        response: {
          status_code: status,
          request_id: 'r',
          body:
            status < 400 ? completionOf('batch', model) : { error: { message: 'no', type: 'invalid_request_error' } },
        },
        error: null,
      })),
    )
  }

  #results(id: string): Response {
    const batch = this.batches.find((each) => each.id === id)
    if (batch === undefined || batch.model === 'lost-file') return refusal(404)
    const answered = resultsOf(batch).map(({ id: customId, status, model }) => ({
      custom_id: customId,
      result:
        status < 400
          ? { type: 'succeeded', message: messageOf('batch', model) }
          : { type: 'errored', error: { type: 'error', error: { type: errorTypes.get(status), message: 'no' } } },
    }))
    const known = new Set(answered.map(({ custom_id: customId }) => customId))
    const rest = batch.lines.flatMap(({ custom_id: customId }) =>
      known.has(customId) ? [] : [{ custom_id: customId, result: { type: 'expired' } }],
    )
    return jsonl([...answered, ...rest])
  }
}

const errorTypes = new Map([
  [400, 'invalid_request_error'],
  [503, 'overloaded_error'],
])

interface NewBatch {
  readonly input_file_id: string
  readonly endpoint: string
  readonly completion_window: string
  readonly metadata: { readonly sluice: string }
}

interface Result {
  readonly id: string
  readonly status: number
  readonly model: string
}

function resultsOf({ lines, model, state }: ProviderBatch): readonly Result[] {
  const status = model === 'refused-lines' ? 400 : model === 'overloaded-lines' ? 503 : 200
  const results = lines.map(({ custom_id: id }) => ({ id, status, model }))
  if (model === 'shuffled') return results.toReversed()
  return model === 'partial' || state === 'cancelled' ? results.slice(0, Math.ceil(results.length / 2)) : results
}

function openAiBatch({ id, model, token, lines, createdAt, state }: ProviderBatch): object {
  const ended = { ended: model === 'failed' ? 'failed' : model === 'partial' ? 'expired' : 'completed' }
  const status = { running: 'in_progress', cancelled: 'cancelled', ...ended }[state]
  const files = state === 'running' ? {} : { output_file_id: `out-${id}`, error_file_id: `err-${id}` }
  const counts = { total: lines.length, completed: 0, failed: 0 }
  const created = Math.floor(createdAt / 1000)
  return {
    id,
    object: 'batch',
    status,
    created_at: created,
    metadata: { sluice: token },
    request_counts: counts,
    ...files,
  }
}

function messageBatch({ id, lines, createdAt, state }: ProviderBatch): object {
  const counts = { processing: 0, succeeded: lines.length, errored: 0, canceled: 0, expired: 0 }
  const status = state === 'running' ? 'in_progress' : 'ended'
  const created = new Date(createdAt).toISOString()
  return { id, type: 'message_batch', processing_status: status, created_at: created, request_counts: counts }
}

function completionOf(text: string, model: string): object {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }]
  return { id: 'c', object: 'chat.completion', created: 1, model, choices, usage }
}

function messageOf(text: string, model: string): object {
  const content = [{ type: 'text', text }]
  const end = { stop_reason: 'end_turn', stop_sequence: null, usage: messageUsage }
  return { id: 'm', type: 'message', role: 'assistant', model, content, ...end }
}

/** The newest first. */
function list(batches: readonly object[]): Response {
  return Response.json({ object: 'list', data: batches.toReversed(), has_more: false })
}

function refusal(status: number): Response {
  return Response.json({ error: { message: 'no', type: 'invalid_request_error' } }, { status })
}

function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

function jsonl(values: readonly object[]): Response {
  return new Response(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
}
