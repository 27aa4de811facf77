/**
 * `POST /v1/messages/count_tokens`: an estimate, because the model's own tokenizer is the upstream's.
 *
 * - Text, tool calls and tool descriptions: tokens of o200k_base, plus some for each message.
 * - A picture: one token for each 28 by 28 pixels, after it was made to fit 1568 pixels and 1568 tokens;
 *   the most that it can be when its size is unknown. Source:
 *   https://platform.claude.com/docs/en/build-with-claude/vision
 * - A PDF: 2250 for each page, the middle of what
 *   https://platform.claude.com/docs/en/build-with-claude/pdf-support gives.
 */
import { isObject } from '#lib/json-value.ts'
import { imageSize } from './image-size.ts'
import { promptChatBody } from './request/messages-request.ts'

type Encoding = typeof import('gpt-tokenizer/encoding/o200k_base')

const tokensPerMessage = 4
const patchPixels = 28
const edgePixelsMax = 1568
const imageTokensMax = 1568
const pdfPageTokens = 2250

// The encoder's merge step is quadratic in the length of an unbroken run, and long text holds up everyone else.
const windowChars = 4096
const windowsPerTurn = 16

/** Marks such as `<|endoftext|>` are the plain text that they are. */
const plain = { disallowedSpecial: new Set<string>() }

let loading: Promise<Encoding> | undefined

/** The number of input tokens, estimated. Throws ApiError for a body that could not be sent either. */
export async function countTokens(body: Readonly<Record<string, unknown>>): Promise<number> {
  const { messages, tools, response_format: format } = promptChatBody(body)
  let total = 0
  const texts: string[] = []
  for (const message of Array.isArray(messages) ? messages : []) {
    total += tokensPerMessage
    for (const part of partsOf(message)) {
      if (typeof part === 'string') texts.push(part)
      else total += fileTokens(part)
    }
  }
  for (const extra of [tools, format]) if (extra !== undefined) texts.push(JSON.stringify(extra))
  return total + (await textTokens(texts))
}

/** Tokens of a picture of this size; null = unknown. */
export function imageTokens(size: { readonly width: number; readonly height: number } | null): number {
  if (size === null) return imageTokensMax
  const scale = Math.min(1, edgePixelsMax / Math.max(size.width, size.height))
  const patches = Math.ceil((size.width * scale) / patchPixels) * Math.ceil((size.height * scale) / patchPixels)
  return Math.min(imageTokensMax, patches)
}

/** The texts of a chat message, and its pictures and files as they are. */
function partsOf(message: unknown): readonly (string | Readonly<Record<string, unknown>>)[] {
  if (!isObject(message)) return []
  const { content, tool_calls: calls } = message
  const said = Array.isArray(content) ? content.filter(isObject) : typeof content === 'string' ? [content] : []
  const texts = said.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : part))
  return calls === undefined ? texts : [...texts, JSON.stringify(calls)]
}

function fileTokens(part: Readonly<Record<string, unknown>>): number {
  const { image_url: image, file } = part
  if (isObject(image)) return imageTokens(imageSize(payloadOf(image['url'])))
  return isObject(file) ? pagesOf(payloadOf(file['file_data'])) * pdfPageTokens : 0
}

/** The bytes of a data URL; none for an address. */
function payloadOf(url: unknown): Buffer {
  if (typeof url !== 'string' || !url.startsWith('data:')) return Buffer.alloc(0)
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

/** Pages that are written in the open; at least one. */
function pagesOf(pdf: Buffer): number {
  return Math.max(1, pdf.toString('latin1').match(/\/Type\s*\/Page(?![a-zA-Z])/gu)?.length ?? 0)
}

async function textTokens(texts: readonly string[]): Promise<number> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base')
  const { countTokens: count } = await loading
  let total = 0
  let windows = 0
  for (const text of texts) {
    for (let start = 0; start < text.length; start += windowChars) {
      total += count(text.slice(start, start + windowChars), plain)
      windows += 1
      if (windows % windowsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return total
}
