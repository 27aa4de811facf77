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
import { ApiError } from '#errors/api-error.ts'
import { isObject } from '#lib/json-value.ts'
import { countTokensFor } from '#lib/tokens/tokens.ts'
import { imageSize } from './image-size.ts'
import { promptChatBody } from './request/messages-request.ts'

const tokensPerMessage = 4
const patchPixels = 28
const edgePixelsMax = 1568
const imageTokensMax = 1568
const pdfPageTokens = 2250

/**
 * The number of input tokens, estimated. Throws ApiError for a body that could not be sent either, and 429 when too
 * much text of the account waits to be counted.
 */
export async function countTokens(body: Readonly<Record<string, unknown>>, accountId: string): Promise<number> {
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
  const counts = await countTokensFor(accountId, texts)
  if (counts === null) {
    throw new ApiError('inflight_limit_exceeded', {
      message: 'Too much text of your account waits to be counted. Try again when those requests have finished.',
    })
  }
  return counts.reduce((sum, tokens) => sum + tokens, total)
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
