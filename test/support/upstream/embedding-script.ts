/** What an embedding model answers: vectors that depend on the text alone, so that a search finds what it should. */
import { errorObject } from './upstream-samples.ts'
import { gate, json, type Behaviour } from './upstream-behaviours.ts'

type Request = Readonly<{ path: string; json(): Readonly<Record<string, unknown>> }>

/** Texts of a call for vectors. */
export function textsOf(request: Request): readonly string[] {
  const { input } = request.json()
  return Array.isArray(input) ? (input as string[]) : [String(input)]
}

/** One dimension for each letter, and one that is never zero: texts that share words point the same way. */
function letterVector(text: string): readonly number[] {
  const counts = Array.from({ length: 27 }, () => 0)
  counts[26] = 0.01
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) - 97
    if (at >= 0 && at < 26) counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}

/** The list as OpenAI has it. */
export function vectorList(vectors: readonly (readonly (number | null)[])[]): object {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  return { object: 'list', model: 'upstream-model', data, usage: { prompt_tokens: 1, total_tokens: 1 } }
}

/** A model that gives numbers, and refuses base64 as several servers do. */
export function embeds(request: Request): Behaviour {
  if (request.json()['encoding_format'] === 'base64') return json(errorObject('encoding_format: only float'), 400)
  return json(vectorList(textsOf(request).map(letterVector)))
}

/** The same, each answer with vectors behind a gate. */
export function embedsWhenReleased(request: Request): Behaviour {
  return request.json()['encoding_format'] === 'base64' ? embeds(request) : [gate, ...embeds(request)]
}
