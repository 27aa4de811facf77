/**
 * Anthropic and Google as servers that answer any request in their own dialect, by returning the
 * user's words: what the provider contract needs of an upstream.
 * Anthropic: https://docs.anthropic.com/en/api/messages
 * Google: https://ai.google.dev/api/generate-content
 */
import { chunk, eventText, hang, json, streamEnd, streamHead, type Behaviour } from './upstream-behaviours.ts'
import type { ReceivedRequest } from './upstream.ts'

/** A user message that begins so gets a long answer that never ends. */
export const endlessWord = 'Count'

const piecesBeforeSilence = 200

/** Speaks as Anthropic's API. */
export function anthropicWire(request: ReceivedRequest): Behaviour {
  if (request.path.endsWith('/models')) return anthropicModels(request)
  const body = request.json() as { stream?: boolean; model: string; messages: { content: { text: string }[] }[] }
  const text = body.messages.at(-1)?.content.at(-1)?.text ?? ''
  const usage = { input_tokens: 9, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const message = { id: 'msg_echo', type: 'message', role: 'assistant', model: body.model, stop_sequence: null }
  if (body.stream !== true) {
    const content = [{ type: 'text', text }]
    return json({ ...message, content, stop_reason: 'end_turn', usage: { ...usage, output_tokens: 4 } })
  }
  const delta = (piece: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: piece },
  })
  return streamed(
    text,
    [
      {
        type: 'message_start',
        message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    delta,
    [
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } },
      { type: 'message_stop' },
    ],
  )
}

/** Speaks as Google's Gemini API; embeddings count letters, so that equal texts have equal vectors. */
export function googleWire(request: ReceivedRequest): Behaviour {
  if (request.path.endsWith('/models')) return googleModels(request)
  if (request.path.endsWith(':batchEmbedContents')) {
    const { requests } = request.json() as { requests: { content: { parts: { text: string }[] } }[] }
    return json({ embeddings: requests.map(({ content }) => ({ values: letters(content.parts[0]?.text ?? '') })) })
  }
  const body = request.json() as { contents: { parts: { text: string }[] }[] }
  const text = body.contents.at(-1)?.parts.at(-1)?.text ?? ''
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 }
  const piece = (part: string, finishReason?: string) => ({
    candidates: [
      { content: { parts: [{ text: part }], role: 'model' }, index: 0, ...(finishReason && { finishReason }) },
    ],
    usageMetadata,
    modelVersion: 'gemini-2.5-flash',
    responseId: 'resp-echo',
  })
  if (request.path.endsWith(':generateContent')) return json(piece(text, 'STOP'))
  return streamed(text, [], piece, [piece('', 'STOP')])
}

function* streamed(
  text: string,
  before: readonly object[],
  piece: (text: string) => object,
  after: readonly object[],
): Behaviour {
  yield streamHead
  for (const event of before) yield chunk(eventText(event))
  if (text.startsWith(endlessWord)) {
    for (let count = 1; count <= piecesBeforeSilence; count += 1) yield chunk(eventText(piece(`${count}\n`)))
    yield hang
  }
  for (const word of text.split(/(?<= )/u)) yield chunk(eventText(piece(word)))
  for (const event of after) yield chunk(eventText(event))
  yield streamEnd
}

function anthropicModels(request: ReceivedRequest): Behaviour {
  const second = request.target.includes('after_id=claude-a')
  const id = second ? 'claude-b' : 'claude-a'
  const data = [{ type: 'model', id, display_name: id, created_at: '2025-09-29T00:00:00Z' }]
  return json({ data, has_more: !second, first_id: id, last_id: id })
}

function googleModels(request: ReceivedRequest): Behaviour {
  const second = request.target.includes('pageToken=second')
  const name = second ? 'models/gemini-embedding-001' : 'models/gemini-2.5-flash'
  return json({ models: [{ name, inputTokenLimit: 1_048_576 }], ...(!second && { nextPageToken: 'second' }) })
}

function letters(text: string): number[] {
  const counts = Array.from({ length: 26 }, () => 0)
  for (const letter of text.toLowerCase()) {
    const index = letter.charCodeAt(0) - 97
    if (index in counts) counts[index] = (counts[index] ?? 0) + 1
  }
  return counts
}
