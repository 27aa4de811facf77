/**
 * Recorded-like answers of vendors, replayed over HTTP in any pieces. The files follow the vendors'
 * public API references; all streams tell the same little story: a thought, a text, two calls.
 */
import { crc32 } from 'node:zlib'
import type { ProviderRecord } from '#catalog/records.ts'
import type { JsonValue } from '#lib/json-value.ts'
import { Secret } from '#lib/secret.ts'
import { chunk, head, streamEnd, type Behaviour, type Step } from './upstream-behaviours.ts'

const folder = new URL('../../fixtures/vendors/', import.meta.url)

export interface VendorStream {
  readonly kind: string
  readonly model: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** A record of a provider at this address, with options for the kinds that need them. */
export function vendorRecord(
  kind: string,
  baseUrl: string,
  options: Readonly<Record<string, JsonValue>> = {},
): ProviderRecord {
  return {
    id: '00000000-0000-4000-8000-00000000000a',
    name: kind,
    kind,
    baseUrl,
    credential: new Secret('key-of-the-vendor'),
    headers: {},
    timeouts: {},
    enabled: true,
    declared: true,
    createdAt: 0,
    options: kind === 'bedrock' ? { region: 'eu-central-1', ...options } : options,
    reasoning: null,
    maxConcurrent: null,
    servers: null,
  }
}

/** The stream of each vendor. */
export async function vendorStreams(): Promise<readonly VendorStream[]> {
  const sse = 'text/event-stream'
  return [
    {
      kind: 'anthropic',
      model: 'claude-sonnet-4-5',
      contentType: sse,
      bytes: await bytesOf('anthropic-thinking-tool.sse'),
    },
    { kind: 'google', model: 'gemini-2.5-flash', contentType: sse, bytes: await bytesOf('google-function-call.sse') },
    {
      kind: 'mistral',
      model: 'magistral-medium-latest',
      contentType: sse,
      bytes: await bytesOf('mistral-tool-call.sse'),
    },
    {
      kind: 'cohere',
      model: 'command-a-reasoning-08-2025',
      contentType: sse,
      bytes: await bytesOf('cohere-tool-call.sse'),
    },
    {
      kind: 'bedrock',
      model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
      contentType: 'application/vnd.amazon.eventstream',
      bytes: await bedrockFrames(),
    },
  ]
}

/** A whole answer of a vendor. */
export async function vendorAnswer(file: string): Promise<object> {
  return (await Bun.file(new URL(file, folder)).json()) as object
}

/** These bytes as a complete streamed answer, cut at these offsets (ascending). */
export function replay({ contentType, bytes }: VendorStream, cuts: readonly number[]): Behaviour {
  const ends = [...cuts.filter((cut) => cut > 0 && cut < bytes.length), bytes.length]
  const pieces: Step[] = ends.map((end, index) => chunk(bytes.subarray(ends[index - 1] ?? 0, end)))
  return [head(200, { 'Content-Type': contentType, 'Transfer-Encoding': 'chunked' }), ...pieces, streamEnd]
}

async function bytesOf(file: string): Promise<Uint8Array> {
  return Bun.file(new URL(file, folder)).bytes()
}

/**
 * Bedrock sends frames: length, length of the headers, check sum, headers, payload, check sum.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
async function bedrockFrames(): Promise<Uint8Array> {
  const events = (await vendorAnswer('bedrock-converse-stream.json')) as readonly [string, object][]
  return Buffer.concat(events.map(([type, payload]) => frame(type, Buffer.from(JSON.stringify(payload)))))
}

function frame(eventType: string, payload: Buffer): Buffer {
  const headers = Buffer.concat([
    frameHeader(':event-type', eventType),
    frameHeader(':content-type', 'application/json'),
    frameHeader(':message-type', 'event'),
  ])
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0)
  prelude.writeUInt32BE(headers.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const message = Buffer.concat([prelude, headers, payload])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(message))
  return Buffer.concat([message, sum])
}

function frameHeader(name: string, value: string): Buffer {
  const size = Buffer.alloc(3)
  // Type 7 is a text.
  size.writeUInt8(7, 0)
  size.writeUInt16BE(Buffer.byteLength(value), 1)
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), size, Buffer.from(value)])
}
