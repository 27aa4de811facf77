/**
 * Describes the pictures in a chat request by what can be measured in them: format, size and the
 * most common colours. Nothing is fetched: a picture at a remote address is only named.
 */
import { pngPixels } from '#lib/png-pixels.ts'
import { nearestColourName } from './colour-name.ts'
import { DemoProblem } from './problem.ts'
import type { ChatMessage } from './request.ts'

export interface ColourShare {
  readonly name: string
  readonly percent: number
}

export type Picture =
  | { readonly kind: 'remote'; readonly url: string }
  /** A format that this machine cannot unpack, known by its first bytes. */
  | { readonly kind: 'opaque'; readonly format: string; readonly bytes: number }
  | {
      readonly kind: 'seen'
      readonly format: string
      readonly bytes: number
      readonly width: number
      readonly height: number
      /** At most three, the most common first. */
      readonly colours: readonly ColourShare[]
    }

/** Pixels of the largest picture that is unpacked; it bounds the memory that one picture takes. */
const pixelsMax = 40_000_000
const thumbnailSide = 16
const coloursMax = 3
const urlCharsMax = 200

/** Every picture of the conversation in its order; throws a DemoProblem for one that is not a picture. */
export async function picturesOf(messages: readonly ChatMessage[]): Promise<readonly Picture[]> {
  const pictures: Picture[] = []
  for (const [at, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const [index, { type, image_url: image }] of content.entries()) {
      if (type !== 'image_url' || !image) continue
      pictures.push(await pictureAt(image.url, `messages.${at}.content.${index}.image_url.url`))
    }
  }
  return pictures
}

async function pictureAt(url: string, param: string): Promise<Picture> {
  if (/^https?:\/\//iu.test(url)) return { kind: 'remote', url: url.slice(0, urlCharsMax) }
  const comma = url.indexOf(',')
  if (comma < 0 || !/^data:[^,]*;base64$/iu.test(url.slice(0, comma))) {
    throw new DemoProblem('An image URL must be a data URL in base64 or start with http.', param, 'invalid_image_url')
  }
  const base64 = url.slice(comma + 1).replace(/\s+/gu, '')
  if (base64 === '' || /[^\w+/=-]/u.test(base64)) {
    throw new DemoProblem('The image is not valid base64.', param, 'invalid_image_url')
  }
  try {
    return await look(Buffer.from(base64, 'base64'))
  } catch (error) {
    throw new DemoProblem(complaint(error), param, 'image_parse_error')
  }
}

async function look(bytes: Buffer): Promise<Picture> {
  const open = () => new Bun.Image(bytes, { maxPixels: pixelsMax })
  try {
    const { format, width, height } = await open().metadata()
    // The box filter averages; sharper ones ring at edges and would find colours that are not there.
    const thumbnail = open().resize(thumbnailSide, thumbnailSide, { fit: 'fill', filter: 'box' })
    const colours = commonColours(pngPixels(await thumbnail.png().bytes()).rgba)
    return { kind: 'seen', format: format.toUpperCase(), bytes: bytes.length, width, height, colours }
  } catch (error) {
    const format = codeOf(error) === 'ERR_IMAGE_FORMAT_UNSUPPORTED' ? formatByFirstBytes(bytes) : undefined
    if (format === undefined) throw error
    return { kind: 'opaque', format, bytes: bytes.length }
  }
}

function commonColours(rgba: Uint8Array): readonly ColourShare[] {
  const counts = new Map<string, number>()
  for (let at = 0; at < rgba.length; at += 4) {
    const name = nearestColourName(rgba.subarray(at, at + 4))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const pixels = rgba.length / 4
  return [...counts]
    .toSorted(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .slice(0, coloursMax)
    .map(([name, count]) => ({ name, percent: Math.round((count / pixels) * 100) }))
}

function formatByFirstBytes(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('II*\0') || start.startsWith('MM\0*')) return 'TIFF'
  if (start.slice(4, 8) !== 'ftyp') return undefined
  return start.slice(8, 12).startsWith('avi') ? 'AVIF' : 'HEIC'
}

function complaint(error: unknown): string {
  if (codeOf(error) === 'ERR_IMAGE_TOO_MANY_PIXELS') {
    return `The image has more than ${pixelsMax / 1e6} million pixels. Send a smaller one.`
  }
  if (codeOf(error) === 'ERR_IMAGE_UNKNOWN_FORMAT') {
    return 'The data is not an image. Send a PNG, JPEG, WebP, GIF, BMP or TIFF.'
  }
  return 'The image is damaged and cannot be unpacked.'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
