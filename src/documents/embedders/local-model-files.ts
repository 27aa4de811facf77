/**
 * What the files of a local embedding model say about it: which weights there are, and how its token
 * vectors become one vector. The layout is that of the Hugging Face Hub, with ONNX weights in `onnx/`:
 * config.json, tokenizer.json, onnx/model.onnx; optional the files of sentence-transformers.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LocalModelFiles {
  /** As the package names precisions. */
  readonly dtype: string
  readonly pooling: 'mean' | 'cls' | 'last_token'
  /** Put before each text. */
  readonly prefix: Readonly<Record<'query' | 'passage', string>>
}

/** The first that is there is taken: from the most exact to the smallest. */
const weights = {
  fp32: 'model.onnx',
  fp16: 'model_fp16.onnx',
  q8: 'model_quantized.onnx',
  int8: 'model_int8.onnx',
  uint8: 'model_uint8.onnx',
  q4: 'model_q4.onnx',
  q4f16: 'model_q4f16.onnx',
} as const

/** What is in the directory, or which file is missing. */
export function readModelFiles(
  directory: string,
): { readonly kind: 'found'; readonly files: LocalModelFiles } | { readonly kind: 'missing'; readonly file: string } {
  for (const file of ['config.json', 'tokenizer.json']) {
    if (!existsSync(join(directory, file))) return { kind: 'missing', file }
  }
  const dtype = Object.entries(weights).find(([, file]) => existsSync(join(directory, 'onnx', file)))?.[0]
  if (dtype === undefined) return { kind: 'missing', file: 'onnx/model.onnx' }
  const pooling = optionalJson(join(directory, '1_Pooling', 'config.json'))
  const { prompts } = optionalJson(join(directory, 'config_sentence_transformers.json'))
  return {
    kind: 'found',
    files: {
      dtype,
      pooling: poolingOf(pooling),
      prefix: { query: textIn(prompts, 'query'), passage: textIn(prompts, 'passage') || textIn(prompts, 'document') },
    },
  }
}

function poolingOf(config: Readonly<Record<string, unknown>>): LocalModelFiles['pooling'] {
  if (config['pooling_mode_cls_token'] === true) return 'cls'
  return config['pooling_mode_lasttoken'] === true ? 'last_token' : 'mean'
}

function textIn(value: unknown, name: string): string {
  const text = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : null
  return typeof text === 'string' ? text : ''
}

/** Empty when there is none; a file that cannot be read says nothing either. */
function optionalJson(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
