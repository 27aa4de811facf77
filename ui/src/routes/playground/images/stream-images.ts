/** Makes or changes images with POST /ai/v1/images/generations and /images/edits, whole or as they appear. */
import { ApiError } from '../../../api/api-error.ts'
import { send } from '../../../api/client.ts'
import { eventData } from '../../../api/event-data.ts'

export interface ImageRequest {
  readonly model: string
  readonly prompt: string
  /** The images that are changed; none: an image is made. */
  readonly sources: readonly File[]
  /** Further fields, as they are sent. */
  readonly fields: Readonly<Record<string, string | number>>
  /** How many unfinished images are shown on the way; 0: none, the answer comes as a whole. */
  readonly partials: number
}

export interface MadeImage {
  /** A data URL of an image; null for one that is only at an address of the provider. */
  readonly data: string | null
  /** An https address; null for data. */
  readonly address: string | null
  /** The provider's own wording of the prompt. */
  readonly revised: string
}

export interface MadeImages {
  readonly images: readonly MadeImage[]
  /** The images are not finished. */
  readonly isPartial: boolean
  readonly elapsedMs: number
}

interface ImageFields {
  readonly b64_json?: string | null
  readonly url?: string | null
  readonly revised_prompt?: string | null
}

interface ImageEvent extends ImageFields {
  readonly type?: string
  readonly error?: { readonly message: string; readonly code?: string | null }
}

/** Yields the images, unfinished ones first. Throws ApiError. */
export async function* streamImages(request: ImageRequest, signal: AbortSignal): AsyncGenerator<MadeImages> {
  const begunAt = performance.now()
  const response = await send(request.sources.length === 0 ? '/ai/v1/images/generations' : '/ai/v1/images/edits', {
    method: 'POST',
    signal,
    ...bodyOf(request),
  })
  const elapsed = (): number => performance.now() - begunAt
  if (!/event-stream/.test(response.headers.get('content-type') ?? '')) {
    const { data } = (await response.json()) as { readonly data?: readonly ImageFields[] | null }
    yield { images: (data ?? []).flatMap(imageOf), isPartial: false, elapsedMs: elapsed() }
    return
  }
  const finished: MadeImage[] = []
  for await (const data of eventData(response)) {
    if (data === '[DONE]') break
    const event = JSON.parse(data) as ImageEvent
    if (event.error !== undefined) throw brokenStream(event.error, response)
    const isPartial = event.type?.endsWith('.partial_image') === true
    const images = imageOf(event)
    if (!isPartial) finished.push(...images)
    if (images.length > 0)
      yield { images: isPartial ? [...finished, ...images] : finished, isPartial, elapsedMs: elapsed() }
  }
}

function bodyOf({ model, prompt, sources, fields, partials }: ImageRequest): RequestInit {
  const all = { model, prompt, ...fields, ...(partials > 0 && { stream: true, partial_images: partials }) }
  if (sources.length === 0) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(all) }
  const form = new FormData()
  // The model first: the gateway then knows at once where the rest goes.
  for (const [name, value] of Object.entries(all)) form.append(name, String(value))
  for (const file of sources) form.append(sources.length > 1 ? 'image[]' : 'image', file)
  return { body: form }
}

/** The types by the first characters of their base64. Drawings that can hold scripts are none of them. */
const types: readonly (readonly [beginning: string, type: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
]

function imageOf({ b64_json: base64, url, revised_prompt: revised }: ImageFields): readonly MadeImage[] {
  const rest = { revised: revised ?? '' }
  const type = types.find(([beginning]) => base64?.startsWith(beginning) === true)?.[1]
  if (type !== undefined) return [{ data: `data:${type};base64,${base64}`, address: null, ...rest }]
  return typeof url === 'string' && /^https:\/\//i.test(url) ? [{ data: null, address: url, ...rest }] : []
}

function brokenStream({ message, code }: NonNullable<ImageEvent['error']>, response: Response): ApiError {
  return new ApiError({
    message,
    code: code ?? 'upstream_stream_error',
    status: 200,
    param: null,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: null,
  })
}
