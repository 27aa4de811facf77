/**
 * Answers the embeddings endpoint with lexical vectors.
 * Shape: https://platform.openai.com/docs/api-reference/embeddings
 */
import { lexicalVector } from './lexical-vector.ts'
import { DemoProblem } from './problem.ts'
import { textsOf } from './prompt.ts'
import type { EmbeddingRequest } from './request.ts'
import { countTokens } from '#lib/tokens/tokens.ts'

const dimensionsDefault = 256

/** One embedding per input, in the order of the inputs. An input above `tokensMax` is refused. */
export async function embeddingsAnswer(request: EmbeddingRequest, tokensMax: number): Promise<object> {
  const dimensions = request.dimensions ?? dimensionsDefault
  const data: object[] = []
  let total = 0
  const texts = await textsOf(request.input, 'input')
  const counts = await countTokens(texts)
  for (const [index, text] of texts.entries()) {
    const tokens = counts[index] ?? 0
    if (tokens > tokensMax) {
      throw new DemoProblem(`Input ${index} has ${tokens} tokens; at most ${tokensMax} are allowed.`, 'input')
    }
    total += tokens
    const vector = lexicalVector(text, dimensions)
    const embedding = request.encoding_format === 'base64' ? base64Of(vector) : Array.from(vector)
    data.push({ object: 'embedding', index, embedding })
  }
  return { object: 'list', data, model: request.model, usage: { prompt_tokens: total, total_tokens: total } }
}

/** 32-bit floats, little-endian: the layout that the OpenAI SDKs unpack. */
function base64Of(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4))
  return bytes.toString('base64')
}
