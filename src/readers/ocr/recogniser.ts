/**
 * Text recognition: the words of a picture with their places, by Tesseract as WebAssembly in this process.
 *
 * Here: which way up a picture is, what is too uncertain to be a word, and limits. The engine is in tesseract.ts; it is
 * loaded by the first picture and gone with the recogniser. Invariant: a picture is measured by its header before the
 * engine sees a byte of it. Time and memory are watched from outside, as for all readers.
 */
import { readImageHeader } from '#lib/image-header.ts'
import type { PixelGrid } from '#lib/png-pixels.ts'
import { ReadFailure, type RecognisedPicture, type Recogniser } from '../reading.ts'
import { type OcrOptions, openTesseract, type Tesseract } from './tesseract.ts'

/** Twice the pixels of an A3 page at 300 dots an inch; four bytes each in the engine, and some copies. */
const pixelsMax = 40_000_000
/** More of one side has no place in the engine. */
const sideMax = 32_000
/** Below, what was seen is rather a stain than a word. */
const wordConfidenceMin = 30
/** From here on text is upright; below, the other ways are tried. */
const uprightConfidence = 75
/** Below, no way up gives text. */
const textConfidenceMin = 50
/** The values of EXIF's field for a picture turned so. */
const exifOfTurn = [1, 6, 3, 8]
/** Upright, upside down, and the two ways of a page that was laid sideways. */
const turnsTried = [0, 2, 1, 3]

/** `onPicture` is called, and waited for, before each picture. Nothing is loaded until then. */
export function createRecogniser(options: OcrOptions, onPicture: () => Promise<void>): Recogniser {
  let engine: Promise<Tesseract> | null = null
  let opened: Tesseract | null = null
  let left = options.pagesMax
  return {
    besideTextOnly: options.besideTextOnly,
    async recognise(picture) {
      if (left <= 0) return null
      left -= 1
      const file = picture instanceof Uint8Array ? checked(picture) : greyMap(picture)
      await onPicture()
      engine ??= openTesseract(options)
      opened = await engine
      return recogniseUpright(opened, file)
    },
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  }
}

function checked(bytes: Uint8Array): Uint8Array {
  const header = readImageHeader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (header === null || header.width < 1 || header.height < 1) {
    throw new ReadFailure('damaged', 'The picture is damaged. Save it again as PNG or JPEG and import that.')
  }
  const { width, height, format } = header
  if (format === 'tiff') {
    throw new ReadFailure(
      'unsupported_type',
      'TIFF pictures are read by a vision model only. Save it as PNG or PDF and import that.',
    )
  }
  if (width * height > pixelsMax || Math.max(width, height) > sideMax) {
    throw new ReadFailure(
      'too_complex',
      `The picture has ${width} × ${height} pixels. Text is recognised up to ${pixelsMax / 1_000_000} million pixels. Make it smaller.`,
    )
  }
  return bytes
}

/** As portable grey map, the simplest format that the engine reads. */
function greyMap({ width, height, rgba }: PixelGrid): Uint8Array {
  const head = Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1')
  const file = new Uint8Array(head.length + width * height)
  file.set(head)
  for (let pixel = 0, at = 0; pixel < width * height; pixel += 1, at += 4) {
    const light = 0.299 * (rgba[at] ?? 0) + 0.587 * (rgba[at + 1] ?? 0) + 0.114 * (rgba[at + 2] ?? 0)
    file[head.length + pixel] = light
  }
  return file
}

/** Camera pictures say which way up they were taken: CIPA DC-008 (Exif 2.3), 4.6.4, tag 0x0112. */
function turnOfCamera(file: Uint8Array): number {
  const head = Buffer.from(file.buffer, file.byteOffset, Math.min(file.length, 65_536))
  if (head[0] !== 0xff) return 0
  const little = head.indexOf(Buffer.from('1201030001000000', 'hex'))
  const big = head.indexOf(Buffer.from('0112000300000001', 'hex'))
  const value = little >= 0 ? head[little + 8] : big >= 0 ? head[big + 9] : 1
  return Math.max(0, exifOfTurn.indexOf(value ?? 1))
}

function recogniseUpright(engine: Tesseract, file: Uint8Array): RecognisedPicture {
  const first = turnOfCamera(file)
  let best: RecognisedPicture & { readonly score: number } = { words: [], turn: 0, score: 0 }
  for (const step of turnsTried) {
    const turn = (first + step) % 4
    const read = engine.read(file, exifOfTurn[turn] ?? 1)
    if (read === null) throw new ReadFailure('damaged', 'The picture cannot be decoded. Save it again as PNG or JPEG.')
    const words = read.filter(({ confidence }) => confidence >= wordConfidenceMin)
    const letters = words.reduce((sum, { text }) => sum + text.length, 0)
    const score = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0)
    const mean = letters === 0 ? 0 : score / letters
    if (mean >= textConfidenceMin && score > best.score) best = { words, turn, score }
    if (mean >= uprightConfidence) break
  }
  return { words: best.words, turn: best.turn }
}
