/**
 * An embedding model of a few hundred bytes, made here: each known word has a vector of its own and
 * a text is the mean of its words. It is a real ONNX file in the layout of the Hugging Face Hub.
 * Format: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The words that it knows; any other is [UNK]. */
export const tinyWords = ['[PAD]', '[UNK]', 'cat', 'dog', 'river', 'bank', 'query:'] as const
export const tinyDimensions = 4

/** The vector of a word. */
export function tinyVector(word: (typeof tinyWords)[number]): readonly number[] {
  const at = tinyWords.indexOf(word)
  return Array.from({ length: tinyDimensions }, (_, index) => Math.fround(Math.sin(1 + at * 5 + index * 2)))
}

/** Writes the model's files into a directory, which is made. */
export async function writeTinyModel(directory: string): Promise<void> {
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'config.json': JSON.stringify({ model_type: 'bert', architectures: ['BertModel'], hidden_size: tinyDimensions }),
    'tokenizer_config.json': JSON.stringify({
      tokenizer_class: 'PreTrainedTokenizerFast',
      model_max_length: 64,
      pad_token: '[PAD]',
      unk_token: '[UNK]',
    }),
    'tokenizer.json': JSON.stringify(tokenizer()),
    'onnx/model.onnx': onnxModel(),
  }
  await mkdir(join(directory, 'onnx'), { recursive: true })
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content)
}

function tokenizer(): object {
  const vocab = Object.fromEntries(tinyWords.map((word, at) => [word, at]))
  const special = { special: true, single_word: false, lstrip: false, rstrip: false, normalized: false }
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      { id: 0, content: '[PAD]', ...special },
      { id: 1, content: '[UNK]', ...special },
    ],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  }
}

const float = 1
const int64 = 7

/** last_hidden_state = table[input_ids] */
function onnxModel(): Uint8Array {
  const table = new Float32Array(tinyWords.flatMap(tinyVector))
  const initializer = message(
    [1, tinyWords.length],
    [1, tinyDimensions],
    [2, float],
    [8, 'table'],
    [9, new Uint8Array(table.buffer)],
  )
  const node = message([1, 'table'], [1, 'input_ids'], [2, 'last_hidden_state'], [3, 'look_up'], [4, 'Gather'])
  const graph = message(
    [1, node],
    [2, 'tiny'],
    [5, initializer],
    [11, tensor('input_ids', int64, ['batch', 'sequence'])],
    [11, tensor('attention_mask', int64, ['batch', 'sequence'])],
    [12, tensor('last_hidden_state', float, ['batch', 'sequence', tinyDimensions])],
  )
  return message([1, 8], [7, graph], [8, message([1, ''], [2, 13])])
}

function tensor(name: string, type: number, shape: readonly (string | number)[]): Uint8Array {
  const dims = shape.map((size) => [1, message([typeof size === 'number' ? 1 : 2, size])] as const)
  return message([1, name], [2, message([1, message([1, type], [2, message(...dims)])])])
}

/** A protobuf message of these fields: numbers as varints, texts and bytes with their length. */
function message(...fields: readonly (readonly [number, number | string | Uint8Array])[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number << 3), varint(value)]
      const bytes = Buffer.from(value)
      return [varint((number << 3) | 2), varint(bytes.length), bytes]
    }),
  )
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let left = value
  do {
    bytes.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0))
    left = Math.floor(left / 128)
  } while (left > 0)
  return Uint8Array.from(bytes)
}
