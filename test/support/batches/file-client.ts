/** Files and batches by plain HTTP, each answer held against the OpenAPI document. */
import { afterAll, beforeAll } from 'bun:test'
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
}

export interface FileClient {
  readonly gateway: GatewayApp
  /** POST /ai/v1/files with these parts; `file` is a text. */
  readonly upload: (parts: Readonly<Record<string, string>>, options?: ChatOptions) => Promise<Response>
  /** The same, accepted. */
  readonly uploaded: (text: string, purpose?: string) => Promise<FileOnWire>
  /** POST /ai/v1/batches. */
  readonly create: (body: object | string, options?: ChatOptions) => Promise<Response>
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
      else form.append(name, value)
    }
    return gateway.request('POST', '/ai/v1/files', { ...options, body: form })
  }
  return {
    gateway,
    upload,
    uploaded: async (file, purpose = 'batch') => (await (await upload({ file, purpose })).json()) as FileOnWire,
    create: (body, options) =>
      gateway.request('POST', '/ai/v1/batches', {
        ...options,
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, options) => gateway.request('GET', `/ai/v1${path}`, options),
    async refusal(answer) {
      const { error } = (await answer.json()) as { readonly error: { readonly code: unknown; readonly param: unknown } }
      return [answer.status, error.code, error.param]
    },
  }
}
