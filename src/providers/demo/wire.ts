/**
 * The two wire shapes of generated text. A shape turns a reply, or a part of it, into the object
 * that is sent; the order of events is decided in reply-body.ts.
 * Shapes: https://platform.openai.com/docs/api-reference/chat/streaming,
 * https://platform.openai.com/docs/api-reference/completions/object
 */
import { completionTokens, textOfChoice, type Choice, type Reply } from './reply.ts'

export interface Wire {
  /** The answer in one object. */
  whole(reply: Reply): object
  /** What a choice's stream starts with, before any token; null = nothing. */
  opening(reply: Reply, choice: Choice): object | null
  token(reply: Reply, choice: Choice, text: string): object
  /** The chunk with the reason for the end. */
  closing(reply: Reply, choice: Choice): object
  /** The extra chunk with the usage. */
  usage(reply: Reply): object
}

export const chatWire: Wire = {
  whole: (reply) => ({
    ...head(reply, 'chat.completion'),
    choices: reply.choices.map((choice) => ({
      index: choice.index,
      message: { role: 'assistant', ...messageOf(choice), refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: choice.finish,
    })),
    usage: usageOf(reply),
  }),
  opening(reply, choice) {
    const { tool } = choice
    if (tool === null) return chatChunk(reply, choice, { role: 'assistant', content: '', refusal: null })
    const call = { index: 0, id: tool.id, type: 'function', function: { name: tool.name, arguments: '' } }
    return chatChunk(reply, choice, { role: 'assistant', content: null, tool_calls: [call], refusal: null })
  },
  token(reply, choice, text) {
    const call = { index: 0, function: { arguments: text } }
    return chatChunk(reply, choice, choice.tool === null ? { content: text } : { tool_calls: [call] })
  },
  closing: (reply, choice) => chatChunk(reply, choice, {}, choice.finish),
  usage: (reply) => ({ ...head(reply, 'chat.completion.chunk'), choices: [], usage: usageOf(reply) }),
}

export const completionWire: Wire = {
  whole: (reply) => ({
    ...head(reply, 'text_completion'),
    choices: reply.choices.map((choice) => textPart(choice, textOfChoice(choice), choice.finish)),
    usage: usageOf(reply),
  }),
  opening: () => null,
  token: (reply, choice, text) => textChunk(reply, choice, text),
  closing: (reply, choice) => textChunk(reply, choice, '', choice.finish),
  usage: (reply) => ({ ...head(reply, 'text_completion'), choices: [], usage: usageOf(reply) }),
}

function head({ id, created, model }: Reply, object: string): object {
  return { id, object, created, model, system_fingerprint: 'fp_demo' }
}

function messageOf(choice: Choice): object {
  const text = textOfChoice(choice)
  if (choice.tool === null) return { content: text }
  const { id, name } = choice.tool
  return { content: null, tool_calls: [{ id, type: 'function', function: { name, arguments: text } }] }
}

function chatChunk(reply: Reply, { index }: Choice, delta: object, finish: string | null = null): object {
  const choices = [{ index, delta, logprobs: null, finish_reason: finish }]
  return { ...head(reply, 'chat.completion.chunk'), choices, ...usageSlot(reply) }
}

function textChunk(reply: Reply, choice: Choice, text: string, finish: string | null = null): object {
  return { ...head(reply, 'text_completion'), choices: [textPart(choice, text, finish)], ...usageSlot(reply) }
}

function textPart({ index }: Choice, text: string, finish: string | null): object {
  return { text, index, logprobs: null, finish_reason: finish }
}

/** Chunks say `usage: null` when, and only when, the last one will hold the usage. */
function usageSlot({ usageAsked }: Reply): object {
  return usageAsked ? { usage: null } : {}
}

function usageOf(reply: Reply): object {
  const completion = completionTokens(reply)
  return {
    prompt_tokens: reply.promptTokens,
    completion_tokens: completion,
    total_tokens: reply.promptTokens + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}
