/**
 * How each flavour writes the parameters of the interface into a body of the OpenAI dialect. A row
 * says what a server can do; a parameter that a row has no word for cannot be honoured there.
 *
 * Sources: docs.vllm.ai (OpenAI-compatible server), docs.sglang.ai (native and OpenAI APIs), the
 * README of llama.cpp's server, text-generation-inference's router (its chat route makes a
 * repetition penalty of `presence_penalty` + 2, and is greedy at temperature 0), lmdeploy.readthedocs.io
 * (api_server), and Ollama's page on OpenAI compatibility.
 */
import type { JsonValue } from '#lib/json-value.ts'
import { gbnfOf } from './gbnf.ts'
import type { Constraint } from '../request/constraint.ts'
import type { Flavour } from './flavour.ts'
import type { Parameters } from '../request/payload.ts'

export type Fields = Readonly<Record<string, JsonValue>>

/** The fields to send, or the name of the first field of the payload that cannot be honoured. */
export type Written =
  | { readonly kind: 'fields'; readonly fields: Fields }
  | { readonly kind: 'unsupported'; readonly field: string }

type RegexConstraint = Extract<Constraint, { readonly kind: 'regex' }>

interface Row {
  readonly maxTokens: 'max_tokens' | 'max_completion_tokens'
  readonly minTokens?: string
  /** Value of `top_k` that stands for no limit; without it there is only greedy or not. */
  readonly topKOff?: number
  /** Leaves out `top_p` of 1, which the server refuses. */
  readonly refusesTopPOne?: boolean
  readonly repetition?: (penalty: number) => Fields
  readonly noRepeatNgram?: string
  /** Sends the penalty even when it is 1, because the server has another default. */
  readonly repetitionAlways?: boolean
  readonly schema: (schema: JsonValue) => Fields
  readonly regex?: (constraint: RegexConstraint) => Fields
  /** Bodies of `/completions` can be constrained as well. */
  readonly constrainsCompletions?: boolean
}

const jsonSchema = (schema: JsonValue): Fields => ({
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
})
const repetitionPenalty = (penalty: number): Fields => ({ repetition_penalty: penalty })

const rows: Readonly<Record<Exclude<Flavour, 'takeoff'>, Row>> = {
  openai: { maxTokens: 'max_completion_tokens', schema: jsonSchema },
  vllm: {
    maxTokens: 'max_tokens',
    minTokens: 'min_tokens',
    topKOff: -1,
    repetition: repetitionPenalty,
    schema: jsonSchema,
    regex: ({ pattern }) => ({ structured_outputs: { regex: pattern } }),
    constrainsCompletions: true,
  },
  sglang: {
    maxTokens: 'max_tokens',
    minTokens: 'min_tokens',
    topKOff: -1,
    repetition: repetitionPenalty,
    schema: jsonSchema,
    regex: ({ pattern }) => ({ regex: pattern }),
    constrainsCompletions: true,
  },
  llamacpp: {
    maxTokens: 'max_tokens',
    topKOff: 0,
    repetition: (penalty) => ({ repeat_penalty: penalty, repeat_last_n: -1 }),
    repetitionAlways: true,
    schema: jsonSchema,
    regex: ({ tree }) => ({ grammar: gbnfOf(tree) }),
  },
  tgi: {
    maxTokens: 'max_tokens',
    refusesTopPOne: true,
    repetition: (penalty) => ({ presence_penalty: penalty - 2 }),
    schema: (schema) => ({ response_format: { type: 'json', value: schema } }),
    regex: ({ pattern }) => ({ response_format: { type: 'regex', value: pattern } }),
  },
  lmdeploy: {
    maxTokens: 'max_tokens',
    minTokens: 'min_new_tokens',
    topKOff: 0,
    repetition: repetitionPenalty,
    schema: jsonSchema,
    regex: ({ pattern }) => ({ response_format: { type: 'regex_schema', regex_schema: pattern } }),
  },
  ollama: { maxTokens: 'max_tokens', schema: jsonSchema },
  // The practice model takes every field, so that clients can be rehearsed; of these it follows the JSON schema.
  demo: {
    maxTokens: 'max_completion_tokens',
    minTokens: 'min_tokens',
    topKOff: -1,
    repetition: repetitionPenalty,
    noRepeatNgram: 'no_repeat_ngram_size',
    schema: jsonSchema,
    regex: ({ pattern }) => ({ regex: pattern }),
    constrainsCompletions: true,
  },
}

/** @param raw the body is one of `/completions` */
export function writeFields(
  flavour: Exclude<Flavour, 'takeoff'>,
  parameters: Parameters,
  constraint: Constraint | null,
  raw: boolean,
): Written {
  const row = rows[flavour]
  const field = unsupported(row, parameters, constraint, raw)
  if (field !== null) return { kind: 'unsupported', field }
  const { minNewTokens, noRepeatNgramSize, repetitionPenalty: penalty } = parameters
  const sendsPenalty = penalty !== 1 || row.repetitionAlways === true
  return {
    kind: 'fields',
    fields: {
      [raw ? 'max_tokens' : row.maxTokens]: parameters.maxNewTokens,
      ...(row.minTokens !== undefined && minNewTokens > 0 && { [row.minTokens]: minNewTokens }),
      ...(row.noRepeatNgram !== undefined && noRepeatNgramSize > 0 && { [row.noRepeatNgram]: noRepeatNgramSize }),
      ...sampling(row, parameters),
      ...(sendsPenalty && row.repetition?.(penalty)),
      ...constraintFields(row, constraint),
    },
  }
}

function unsupported(row: Row, parameters: Parameters, constraint: Constraint | null, raw: boolean): string | null {
  if (parameters.minNewTokens > 0 && row.minTokens === undefined) return 'min_new_tokens'
  if (parameters.noRepeatNgramSize > 0 && row.noRepeatNgram === undefined) return 'no_repeat_ngram_size'
  if (parameters.repetitionPenalty !== 1 && row.repetition === undefined) return 'repetition_penalty'
  if (parameters.topK > 1 && row.topKOff === undefined) return 'sampling_topk'
  if (constraint === null) return null
  if (constraint.kind === 'regex' && row.regex === undefined) return 'regex_string'
  if (raw && row.constrainsCompletions !== true) return constraint.kind === 'regex' ? 'regex_string' : 'json_schema'
  return null
}

function sampling(row: Row, { topK, topP, temperature }: Parameters): Fields {
  // The temperature changes nothing with one candidate, and 0 is the only greedy that all servers know.
  if (row.topKOff === undefined && topK === 1) return { temperature: 0 }
  return {
    temperature,
    ...(!(row.refusesTopPOne === true && topP === 1) && { top_p: topP }),
    ...(row.topKOff !== undefined && { top_k: topK === 0 ? row.topKOff : topK }),
  }
}

function constraintFields(row: Row, constraint: Constraint | null): Fields {
  if (constraint === null) return {}
  return constraint.kind === 'regex' ? (row.regex?.(constraint) ?? {}) : row.schema(constraint.schema)
}
