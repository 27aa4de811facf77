/** From the body of a request to its payload and its image. Nothing larger than the limits is ever held. */
import { isUtf8 } from 'node:buffer'
import { ApiError } from '#errors/api-error.ts'
import { BodyReader } from '#http/body-reader.ts'
import { readJson, type BodyLimits } from '#http/body.ts'
import type { RequestContext } from '#http/request-context.ts'
import { multipartBoundary, parseMultipart, readPart, type MultipartPart } from '#http/multipart.ts'
import { JsonTooComplex, parseBounded } from '#lib/bounded-json.ts'
import { imageOf, imageTooLarge, type Image, type ImageLimits } from './image.ts'
import { readImagePath } from './image-path.ts'
import { readPayload, type Payload } from './payload.ts'

export interface RequestLimits {
  readonly body: BodyLimits
  readonly image: ImageLimits
  readonly batchMax: number
  readonly imageRoots: readonly string[]
}

export interface GenerationRequest {
  readonly payload: Payload
  readonly image: Image | null
  /** Size of the body. */
  readonly bytes: number
}

/** The JSON body of the text endpoints. Answers 400, 408, 413, 415 or 422 by throwing. */
export async function readTextRequest(context: RequestContext, limits: RequestLimits): Promise<GenerationRequest> {
  const { bytes, value } = await readJson(context, limits.body)
  const payload = readPayload(value, limits.batchMax)
  return { payload, image: await imageOnDisk(payload, limits), bytes: bytes.length }
}

/** The form of the image endpoints, its parts in either order. Answers 400, 408, 413, 415 or 422 by throwing. */
export async function readImageRequest(context: RequestContext, limits: RequestLimits): Promise<GenerationRequest> {
  const boundary = multipartBoundary(context.request.headers.get('content-type'))
  if (boundary === null) {
    throw new ApiError('unsupported_media_type', {
      message: 'Send a form: "Content-Type: multipart/form-data" with the parts "image_data" and "json_data".',
    })
  }
  const reader = new BodyReader(context, limits.body)
  const form: FormParts = { image: null, json: null }
  for await (const part of parseMultipart(piecesOf(reader), boundary)) await takePart(part, form, limits)
  if (form.json === null)
    throw new ApiError('validation_failed', { param: 'json_data', message: 'The form has no part "json_data".' })
  const payload = readPayload(parsedJson(form.json), limits.batchMax)
  if (form.image !== null && payload.imagePaths.length > 0) throw new ApiError('too_many_images')
  const image = form.image ?? (await imageOnDisk(payload, limits))
  if (image === null) throw new ApiError('missing_image', { param: 'image_data' })
  return { payload, image, bytes: reader.bytesRead }
}

interface FormParts {
  image: Image | null
  json: Buffer | null
}

async function takePart(part: MultipartPart, form: FormParts, limits: RequestLimits): Promise<void> {
  if (part.name === 'image_data') {
    if (form.image !== null) throw new ApiError('too_many_images', { param: 'image_data' })
    const bytes = await readPart(part, limits.image.bytesMax)
    if (bytes === null) throw imageTooLarge(limits.image.bytesMax)
    if (bytes.length === 0) throw new ApiError('missing_image', { param: 'image_data' })
    form.image = imageOf(bytes, limits.image)
  } else if (part.name === 'json_data') {
    if (form.json !== null)
      throw new ApiError('invalid_multipart', { param: 'json_data', message: 'The form has two parts "json_data".' })
    // Bounded by the limit on the whole body.
    form.json = await readPart(part, Infinity)
  } else {
    throw new ApiError('unsupported_parameter', {
      param: part.name.slice(0, 100),
      message: `The form has a part ${JSON.stringify(part.name.slice(0, 100))}; there are only "image_data" and "json_data".`,
    })
  }
}

async function imageOnDisk({ imagePaths }: Payload, limits: RequestLimits): Promise<Image | null> {
  const [path] = imagePaths
  if (path === undefined) return null
  if (imagePaths.length > 1) throw new ApiError('too_many_images', { param: 'image_paths' })
  if (limits.imageRoots.length === 0) {
    throw new ApiError('unsupported_parameter', {
      param: 'image_paths',
      message:
        'This server reads no images from its disk. Send the image to /image_generate or /image_generate_stream.',
    })
  }
  return imageOf(await readImagePath(path, limits.imageRoots, limits.image.bytesMax), limits.image)
}

function parsedJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new ApiError('invalid_json', { param: 'json_data', message: 'The part "json_data" is not valid UTF-8.' })
  try {
    return parseBounded(bytes)
  } catch (thrown) {
    if (thrown instanceof JsonTooComplex)
      throw new ApiError('request_too_large', {
        param: 'json_data',
        message: `The part "json_data" cannot be read: ${thrown.message}.`,
      })
    throw new ApiError('invalid_json', { param: 'json_data', message: 'The part "json_data" is not valid JSON.' })
  }
}

async function* piecesOf(reader: BodyReader): AsyncGenerator<Uint8Array, void> {
  try {
    for (let piece = await reader.readToKeep(); piece !== null; piece = await reader.readToKeep()) yield piece
  } finally {
    reader.cancel()
  }
}
