/**
 * Recordings cut into parts that a transcription model takes: WAV between samples, MP3 between frames. Others are sent
 * whole, since their frames have no place of their own without an index.
 *
 * Nothing is decoded: a part is a stretch of the file, with a head of its own where the format needs one. (RIFF
 * Multimedia Programming Interface 1.0, 3; ISO/IEC 11172-3, 2.4.2.3; ID3v2.3, 3.1.)
 */
import { ReadFailure } from '../reading.ts'

/** A stretch of the file that is a recording by itself with `head` before it. */
export interface RecordingPart {
  readonly start: number
  readonly end: number
  /** Where it begins in the whole recording. */
  readonly startMs: number
  /** Bytes that go before it, in base64; empty when it needs none. */
  readonly head: string
}

export interface PartLimits {
  readonly bytesMax: number
  readonly secondsMax: number
}

/** The parts in order; together they are all that is heard. Throws ReadFailure `damaged`, or `too_complex` for one that cannot be divided. */
export function divideRecording(content: Uint8Array, mediaType: string, limits: PartLimits): RecordingPart[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const divide = dividers.get(mediaType)
  if (divide !== undefined) {
    const parts = divide(bytes, limits)
    if (parts.length <= partsMax) return parts
    throw new ReadFailure('too_complex', 'The recording is too long. Divide it and import the parts.')
  }
  if (bytes.length <= limits.bytesMax) return [{ start: 0, end: bytes.length, startMs: 0, head: '' }]
  const megabytes = Math.floor(limits.bytesMax / 1_000_000)
  throw new ReadFailure(
    'too_complex',
    `The recording has more than the ${megabytes} MB that the model takes at once, and only MP3 and WAV are divided. Save its sound as MP3 and import that.`,
  )
}

/** Each is a call of a model; twenty minutes each, they are more than two days. */
const partsMax = 200

const dividers: ReadonlyMap<string, (bytes: Buffer, limits: PartLimits) => RecordingPart[]> = new Map([
  ['audio/wav', wavParts],
  ['audio/mpeg', mp3Parts],
])

const wavHeadBytes = 44
/** What is left of a head may be this small, so that a limit always lets something through. */
const leastBytes = 4096

interface WavData {
  readonly format: Buffer
  readonly start: number
  readonly end: number
}

function wavParts(bytes: Buffer, { bytesMax, secondsMax }: PartLimits): RecordingPart[] {
  const { format, start, end } = wavData(bytes)
  const perSecond = format.readUInt32LE(8)
  const block = Math.max(1, format.readUInt16LE(12))
  if (perSecond === 0) throw damaged()
  const most = Math.min(Math.max(leastBytes, bytesMax - wavHeadBytes - format.length), perSecond * secondsMax)
  const step = Math.max(block, Math.floor(most / block) * block)
  const parts: RecordingPart[] = []
  for (let at = start; at < end; at += step) {
    const size = Math.min(step, end - at)
    const head = wavHead(format, size).toString('base64')
    parts.push({ start: at, end: at + size, startMs: Math.round(((at - start) / perSecond) * 1000), head })
  }
  return parts
}

/** Programs that were stopped leave sizes of zero or more than there is: the data is what is there. */
function wavData(bytes: Buffer): WavData {
  let format: Buffer | null = null
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    const start = at + 8
    if (name === 'fmt ' && size >= 16 && start + size <= bytes.length) format = bytes.subarray(start, start + size)
    if (name === 'data') {
      const end = size === 0 || start + size > bytes.length ? bytes.length : start + size
      if (format === null || end <= start) break
      return { format, start, end }
    }
    at = start + size + (size % 2)
  }
  throw damaged()
}

function wavHead(format: Buffer, dataBytes: number): Buffer {
  const head = Buffer.alloc(28 + format.length)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(20 + format.length + dataBytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(format.length, 16)
  format.copy(head, 20)
  head.write('data', 20 + format.length, 'latin1')
  head.writeUInt32LE(dataBytes, 24 + format.length)
  return head
}

/** Kilobits a second by index, of layer III: version 1, then 2 and 2.5. */
const bitRates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
const sampleRates = [44_100, 48_000, 32_000] as const

interface Frame {
  readonly bytes: number
  readonly ms: number
}

function mp3Parts(bytes: Buffer, { bytesMax, secondsMax }: PartLimits): RecordingPart[] {
  const parts: RecordingPart[] = []
  let [start, startMs, ms] = [-1, 0, 0]
  const close = (end: number): void => {
    if (start >= 0 && end > start) parts.push({ start, end, startMs: Math.round(startMs), head: '' })
    startMs = ms
  }
  let at = afterTag(bytes)
  while (at + 4 <= bytes.length) {
    const frame = frameAt(bytes, at)
    if (frame === null) {
      at = nextSync(bytes, at + 1)
      continue
    }
    if (start < 0) start = at
    else if (at + frame.bytes - start > bytesMax || ms + frame.ms - startMs > secondsMax * 1000) {
      close(at)
      start = at
    }
    ms += frame.ms
    at += frame.bytes
  }
  close(Math.min(at, bytes.length))
  if (parts.length === 0) throw damaged()
  return parts
}

/** Titles and pictures before the sound: their length has seven bits in each byte. */
function afterTag(bytes: Buffer): number {
  if (bytes.toString('latin1', 0, 3) !== 'ID3' || bytes.length < 10) return 0
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((bytes[at] ?? 0) & 0x7f), 0)
  return 10 + size
}

function nextSync(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(0xff, from)
  return found < 0 ? bytes.length : found
}

/** The frame of layer III that begins here, or null. */
function frameAt(bytes: Buffer, at: number): Frame | null {
  const first = bytes[at] ?? 0
  const second = bytes[at + 1] ?? 0
  const third = bytes[at + 2] ?? 0
  const version = (second >> 3) & 3
  const rate = sampleRates[(third >> 2) & 3]
  if (first !== 0xff || (second & 0xe6) !== 0xe2 || version === 1 || rate === undefined) return null
  const isFirst = version === 3
  const bits = bitRates[isFirst ? 0 : 1][third >> 4]
  if (bits === undefined || bits === 0) return null
  const samplesPerSecond = isFirst ? rate : version === 2 ? rate / 2 : rate / 4
  const size = Math.floor(((isFirst ? 144 : 72) * bits * 1000) / samplesPerSecond) + ((third >> 1) & 1)
  return { bytes: size, ms: ((isFirst ? 1152 : 576) / samplesPerSecond) * 1000 }
}

function damaged(): ReadFailure {
  return new ReadFailure('damaged', 'The recording is cut off or damaged. Save it again and import that.')
}
