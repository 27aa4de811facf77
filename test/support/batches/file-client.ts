/** Files and batches by plain HTTP, each answer held against the OpenAPI document. */
import { afterAll, beforeAll, expect } from 'bun:test'
import { until } from '../until.ts'
import { startGateway, type ChatOptions, type GatewayApp, type GatewayOptions } from '../app/gateway-app.ts'

export interface FileOnWire {
  readonly id: string
  readonly bytes: number
  readonly created_at: number
  readonly expires_at?: number
}

export interface BatchOnWire {
  readonly id: string
  readonly status: string
  readonly input_file_id: string
  readonly output_file_id: string | null
  readonly error_file_id: string | null
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number }
  readonly errors: { readonly data: readonly { readonly code: string; readonly line: number | null }[] } | null
}

/** A line of an output. */
export interface ResultOnWire {
  readonly custom_id: string
  readonly response: { readonly status_code: number; readonly body: Readonly<Record<string, unknown>> } | null
  readonly error: { readonly code: string } | null
}

const ends = ['completed', 'failed', 'expired', 'cancelled']

export interface FileClient {
  readonly gateway: GatewayApp
  /** POST /ai/v1/files with these parts. */
  readonly upload: (parts: Readonly<Record<string, string | Blob>>, options?: ChatOptions) => Promise<Response>
  /** The same, accepted. */
  readonly uploaded: (text: string, purpose?: string) => Promise<FileOnWire>
  /** POST /ai/v1/batches. */
  readonly create: (body: object | string, options?: ChatOptions) => Promise<Response>
  /** A batch of this file, begun. */
  readonly begun: (file: string | Blob, endpoint: string) => Promise<BatchOnWire>
  /** A batch at its end. */
  readonly ended: (id: string) => Promise<BatchOnWire>
  /** What both of its files hold by now. */
  readonly results: (batch: BatchOnWire) => Promise<readonly ResultOnWire[]>
  readonly get: (path: string, options?: ChatOptions) => Promise<Response>
  /** Status and code of an answer. */
  readonly refusal: (answer: Response) => Promise<readonly [number, unknown, unknown]>
}

/** Opens an app for the tests of a file, and closes it after them. */
export function filesOfTest(options?: GatewayOptions): () => FileClient {
  let client: FileClient
  beforeAll(async () => void (client = clientOf(await startGateway(options))))
  afterAll(() => client.gateway[Symbol.asyncDispose]())
  return () => client
}

/** The client of an app that the test owns. */
export function clientOf(gateway: GatewayApp): FileClient {
  const upload: FileClient['upload'] = (parts, options) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(parts)) {
      if (name === 'file') form.append('file', new Blob([value]), 'input.jsonl')
      else if (typeof value === 'string') form.append(name, value)
    }
    return gateway.request('POST', '/ai/v1/files', { ...options, body: form })
  }
  const get: FileClient['get'] = (path, options) => gateway.request('GET', `/ai/v1${path}`, options)
  const create: FileClient['create'] = (body, options) =>
    gateway.request('POST', '/ai/v1/batches', {
      ...options,
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    gateway,
    upload,
    uploaded: async (file, purpose = 'batch') => (await (await upload({ file, purpose })).json()) as FileOnWire,
    create,
    async begun(file, endpoint) {
      const { id } = (await (await upload({ file, purpose: 'batch' })).json()) as FileOnWire
      const made = await create({ input_file_id: id, endpoint, completion_window: '24h' })
      expect(made.status).toBe(200)
      return (await made.json()) as BatchOnWire
    },
    async ended(id) {
      let batch: BatchOnWire | null = null
      await until(async () => {
        batch = (await (await get(`/batches/${id}`)).json()) as BatchOnWire
        return ends.includes(batch.status)
      })
      return batch!
    },
    async results({ output_file_id: output, error_file_id: errors }) {
      const ids = [output, errors].filter((id) => id !== null)
      const texts = await Promise.all(ids.map(async (id) => (await get(`/files/${id}/content`)).text()))
      const lines = texts.flatMap((text) => text.split('\n').slice(0, -1))
      return lines.map((line) => JSON.parse(line) as ResultOnWire)
    },
    get,
    async refusal(answer) {
      const { error } = (await answer.json()) as { readonly error: { readonly code: unknown; readonly param: unknown } }
      return [answer.status, error.code, error.param]
    },
  }
}
