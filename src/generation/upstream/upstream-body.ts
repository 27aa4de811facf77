/**
 * The body of one prompt for one upstream, in three pieces: what comes before the image, the image,
 * and what comes after it. The image is one buffer that all bodies share, and it comes first, so that
 * all prompts of a request begin alike and engines find what they have computed already.
 */
import type { Pieces } from '#providers/provider.ts'
import type { Image } from '../request/image.ts'
import type { UpstreamPlan } from './upstream-plan.ts'

const json = 'application/json'

export interface BodyOptions {
  readonly plan: UpstreamPlan
  readonly text: string
  readonly image: Image | null
  /** The upstream has the image already, and finds it by its digest. */
  readonly imageIsKnown: boolean
}

export function upstreamBody(options: BodyOptions): Pieces {
  if (options.plan.flavour === 'takeoff') return takeoffBody(options)
  return options.plan.endpoint === 'completions' ? completionBody(options) : chatBody(options)
}

function completionBody({ plan, text }: BodyOptions): Pieces {
  return jsonPieces(JSON.stringify({ model: plan.upstreamModel, prompt: text, ...plan.fields, ...streamed }))
}

const streamed = { stream: true, stream_options: { include_usage: true } }

function chatBody({ plan, text, image, imageIsKnown }: BodyOptions): Pieces {
  const rest = JSON.stringify({ ...plan.fields, ...streamed }).slice(1)
  const model = JSON.stringify(plan.upstreamModel)
  const start = `{"model":${model},"messages":[{"role":"user","content":`
  if (image === null) return jsonPieces(`${start}${JSON.stringify(text)}}],${rest}`)
  const uuid = plan.remembersImages ? `,"uuid":"${image.sha256}"` : ''
  const after = `${uuid}},{"type":"text","text":${JSON.stringify(text)}}]}],${rest}`
  const part = `${start}[{"type":"image_url","image_url":`
  if (imageIsKnown) return jsonPieces(`${part}null${after}`)
  const before = Buffer.from(`${part}{"url":"data:${image.mediaType};base64,`)
  return { contentType: json, parts: [before, image.base64, Buffer.from(`"}${after}`)] }
}

function jsonPieces(text: string): Pieces {
  return { contentType: json, parts: [Buffer.from(text)] }
}

/** The interface itself: a JSON body, or the form with the image first. */
function takeoffBody({ plan, text, image }: BodyOptions): Pieces {
  const payload = JSON.stringify({ text, ...plan.fields, consumer_group: plan.upstreamModel })
  if (image === null) return jsonPieces(payload)
  // Nobody can know it, so no image holds a delimiter and a part of its own behind it.
  const boundary = crypto.randomUUID()
  const delimiter = `--${boundary}`
  const before = [
    delimiter,
    `Content-Disposition: form-data; name="image_data"; filename="image.${image.header.format}"`,
    `Content-Type: ${image.mediaType}`,
    '',
    '',
  ]
  const after = [
    '',
    delimiter,
    'Content-Disposition: form-data; name="json_data"',
    `Content-Type: ${json}`,
    '',
    payload,
    `${delimiter}--`,
    '',
  ]
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    parts: [Buffer.from(before.join('\r\n')), image.bytes, Buffer.from(after.join('\r\n'))],
  }
}
