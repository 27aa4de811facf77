/**
 * What the table of clients asks of each: an adapter that does with the client what its users do. The journeys and
 * the columns of docs/clients.md are in journeys.test.ts; an optional method left out is a feature that the client
 * does not have.
 */
import { z } from 'zod'

export interface Setup {
  /** The gateway's, without a path. */
  readonly url: string
  readonly apiKey: string
  readonly model: string
}

export interface Ask {
  readonly prompt: string
  readonly streamed?: boolean
  /** A PNG file in base64. */
  readonly image?: string
  readonly signal?: AbortSignal
  /** Called with each piece of a streamed text. */
  readonly onText?: (piece: string) => void
}

export interface Client {
  /** As its users know it; names its row. */
  readonly name: string
  /** The text of an answer, by a stream when asked for so. */
  say(setup: Setup, ask: Ask): Promise<string>
  readonly streams: boolean
  readonly images: boolean
  /** Offers the tool `weather` and lets the client run it; the text of the last answer. */
  loop?(setup: Setup, ask: Ask): Promise<string>
  /** Asks for an object of `forecast`. */
  shape?(setup: Setup, prompt: string): Promise<unknown>
  /** What the model thought, and what it said. */
  think?(setup: Setup, ask: Ask): Promise<readonly [thought: string, text: string]>
  /** Asks one prompt after another; each turn sends only what is new and names what was before. */
  continue?(setup: Setup, prompts: readonly string[]): Promise<string>
}

/** The shape that structured answers have. */
export const forecast = z.object({ city: z.string(), degrees: z.number() })

/** The tool of every loop. */
export const weather = {
  name: 'weather',
  description: 'Tells how warm it is in a city.',
  input: z.object({ city: z.string() }),
  schema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  run: ({ city }: { readonly city: string }): string => `21 °C in ${city}`,
}

/** Reads a stream of pieces to its end and puts them together. */
export async function joined(pieces: AsyncIterable<string | null | undefined>, { onText }: Ask): Promise<string> {
  let text = ''
  for await (const piece of pieces) {
    if (!piece) continue
    text += piece
    onText?.(piece)
  }
  return text
}
