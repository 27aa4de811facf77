/** The one image of a request: checked once, and encoded once however many prompts are about it. */
import { createHash } from 'node:crypto'
import { ApiError } from '#errors/api-error.ts'
import { readImageHeader, type ImageHeader } from '#lib/image-header.ts'

export interface ImageLimits {
  readonly bytesMax: number
  readonly pixelsMax: number
}

export class Image {
  readonly bytes: Buffer
  readonly header: ImageHeader
  #base64: Buffer | null = null
  #sha256: string | null = null

  /** The bytes must not change any more. */
  constructor(bytes: Buffer, header: ImageHeader) {
    this.bytes = bytes
    this.header = header
  }

  get mediaType(): string {
    return `image/${this.header.format}`
  }

  /** In base64, as bytes: the same buffer each time. */
  get base64(): Buffer {
    return (this.#base64 ??= Buffer.from(this.bytes.toString('base64'), 'latin1'))
  }

  /** Hexadecimal. */
  get sha256(): string {
    return (this.#sha256 ??= createHash('sha256').update(this.bytes).digest('hex'))
  }
}

/** An image by its bytes, whatever it was said to be. Answers 413, 415 or 422 by throwing. */
export function imageOf(bytes: Buffer, { bytesMax, pixelsMax }: ImageLimits): Image {
  if (bytes.length > bytesMax) throw imageTooLarge(bytesMax)
  const header = readImageHeader(bytes)
  if (header === null) throw new ApiError('unsupported_image', { param: 'image_data' })
  if (header.width === 0 || header.height === 0) throw new ApiError('invalid_image', { param: 'image_data' })
  if (header.width * header.height > pixelsMax) {
    throw new ApiError('image_too_large', {
      param: 'image_data',
      message: `The image has ${header.width} × ${header.height} pixels; at most ${pixelsMax} in all are taken.`,
    })
  }
  if (!header.complete) {
    throw new ApiError('invalid_image', { param: 'image_data', message: 'The image file is cut off before its end.' })
  }
  return new Image(bytes, header)
}

/** 413 for an image file of more bytes than the limit. */
export function imageTooLarge(bytesMax: number): ApiError {
  return new ApiError('image_too_large', {
    param: 'image_data',
    message: `The image file is larger than the limit of ${bytesMax} bytes.`,
  })
}
