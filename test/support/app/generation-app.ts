/**
 * The gateway of a test with a model for the generation endpoints: `vision`, which stands for the
 * group `primary`, at the scripted upstream. And a client for these endpoints.
 */
import { startGateway, type ChatOptions, type GatewayApp, type GatewayOptions } from './gateway-app.ts'
import { stripedPng } from '../documents/png-file.ts'
import { events, streamEnd, streamHead, type Behaviour, type Step } from '../upstream/upstream-behaviours.ts'
import { chatChunks, doneEvent } from '../upstream/upstream-samples.ts'

export type GenerationPath = 'generate' | 'generate_stream' | 'image_generate' | 'image_generate_stream'

export interface GenerateOptions extends ChatOptions {
  /** Sent to the image endpoints; `picture` when left out, null sends none. */
  readonly image?: Uint8Array | null
  /** The form as it is, instead of the usual one. */
  readonly form?: FormData
}

export interface GenerationApp extends GatewayApp {
  /** Id of the model `vision`. */
  readonly visionId: string
  /** A request with this payload; to the image endpoints as a form. */
  generate(path: GenerationPath, payload: object, options?: GenerateOptions): Promise<Response>
}

export interface GenerationOptions extends GatewayOptions {
  /** Options of the provider; the plain OpenAI flavour when left out, so that nobody asks for it. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** A small valid picture. */
export const picture: Buffer<ArrayBuffer> = stripedPng(8, 8, [
  [255, 0, 0],
  [0, 0, 255],
])

/** Opens everything; disposing closes it. */
export async function startGeneration({ set = [], options }: GenerationOptions = {}): Promise<GenerationApp> {
  const gateway = await startGateway({ set: ['generation.consumer_groups=primary=vision', ...set] })
  const { upProviderId } = gateway
  await made(gateway, 'PATCH', `/providers/${upProviderId}`, { options: options ?? { flavour: 'openai' } })
  const vision = await made(gateway, 'POST', '/models', {
    name: 'vision',
    provider_id: upProviderId,
    upstream_name: 'upstream-model',
  })
  return {
    ...gateway,
    visionId: String(vision['id']),
    generate(path, payload, { image = picture, form, ...rest } = {}) {
      if (!path.startsWith('image_')) {
        const headers = { 'content-type': 'application/json', ...rest.headers }
        return gateway.request('POST', `/${path}`, { ...rest, headers, body: JSON.stringify(payload) })
      }
      return gateway.request('POST', `/${path}`, { ...rest, body: form ?? formOf(payload, image) })
    },
  }
}

/** The usual form: the payload first, the image with the type that the interface's own clients write. */
export function formOf(payload: object | string, image: Uint8Array | null): FormData {
  const form = new FormData()
  const json = typeof payload === 'string' ? payload : JSON.stringify(payload)
  form.append('json_data', new Blob([json], { type: 'application/json' }))
  if (image !== null) form.append('image_data', new Blob([new Uint8Array(image)], { type: 'image/*' }), 'photo.png')
  return form
}

/** One change or creation through the admin API. */
export async function made(
  gateway: GatewayApp,
  method: string,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await gateway.operate(method, path, body)
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Record<string, unknown>
}

export interface TokenEvent {
  readonly name: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** Every event of a whole stream; throws when a `data:` line is no JSON object or anything else stands there. */
export function tokenEvents(text: string): readonly TokenEvent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'))
  return blocks.map((block) => {
    const match = /^(?:event: (\w+)\n)?data: (\{.*\})$/.exec(block)
    if (match === null) throw new Error(`not an event of this interface: ${JSON.stringify(block)}`)
    return { name: match[1] ?? null, data: JSON.parse(match[2] ?? '') as Record<string, unknown> }
  })
}

/** The texts of each prompt joined, by its index. */
export function textsOf(stream: readonly TokenEvent[]): Readonly<Record<number, string>> {
  const texts: Record<number, string> = {}
  for (const { name, data } of stream) {
    if (name === null) texts[Number(data['batch_id'])] = (texts[Number(data['batch_id'])] ?? '') + String(data['text'])
  }
  return texts
}

/** An upstream's streamed answer of these pieces, with token counts at its end. */
export function answering(pieces: readonly string[], finishReason = 'stop'): Behaviour {
  return [streamHead, ...chunks(pieces), ...ending(finishReason), streamEnd]
}

/** The events of such an answer, one step each. */
export function chunks(pieces: readonly string[]): readonly Step[] {
  return events(chatChunks({ pieces, finish: false }))
}

function ending(finishReason: string): readonly Step[] {
  const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 }
  return events([
    { choices: [{ index: 0, delta: {}, finish_reason: finishReason }] },
    { choices: [], usage },
    doneEvent,
  ])
}

interface ChatBody {
  readonly messages: readonly {
    readonly content: string | readonly { readonly type: string; readonly text?: string }[]
  }[]
}

/** The prompt that a chat request to the upstream carries. */
export function promptIn(body: Readonly<Record<string, unknown>>): string {
  const content = (body as unknown as ChatBody).messages[0]?.content ?? ''
  return typeof content === 'string' ? content : (content.find((part) => part.type === 'text')?.text ?? '')
}
