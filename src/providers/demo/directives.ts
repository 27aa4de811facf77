/**
 * The words by which a message makes the practice provider behave in a certain way, so that client
 * authors can try failures on purpose. Documented in docs/practice-provider.md.
 */
export interface Directives {
  /** Milliseconds before the first token. */
  readonly delayMs: number
  /** Milliseconds between tokens. */
  readonly paceMs: number
  /** HTTP status to answer instead of doing anything. */
  readonly errorStatus: number | null
  /** Tokens after which the connection dies. */
  readonly cutAfter: number | null
  /** Answers a JSON object that describes the request. */
  readonly json: boolean
  /** Calls the first tool offered. */
  readonly tool: boolean
  /** Answers this many tokens of filler. */
  readonly longTokens: number | null
  /** Sends the head of the answer and then nothing. */
  readonly hang: boolean
}

interface NumberRule {
  readonly fallback: number
  readonly max: number
}

/** The number that each directive takes: the value when it is missing, and the highest. */
const numberRules = {
  delay: { fallback: 1000, max: 60_000 },
  pace: { fallback: 50, max: 10_000 },
  error: { fallback: 500, max: 999 },
  cut: { fallback: 5, max: 100_000 },
  long: { fallback: 500, max: 100_000 },
} as const satisfies Record<string, NumberRule>

// A directive stands alone between spaces or at a sentence's end: "/var/error" is a path, not one.
const pattern = /(?<=^|\s)\/(delay|pace|error|cut|json|tool|long|hang)(?:[ \t]+(\d{1,9}))?(?=$|[\s.,;:!?)])/gu

/** The directives in a text; of one given twice, the last counts. */
export function directivesIn(text: string): Directives {
  const found = new Map<string, string | undefined>()
  for (const match of text.matchAll(pattern)) found.set(match[1] ?? '', match[2])
  const numberOf = (name: keyof typeof numberRules): number | null => {
    if (!found.has(name)) return null
    const { fallback, max } = numberRules[name]
    return Math.min(max, Number(found.get(name) ?? fallback))
  }
  return {
    delayMs: numberOf('delay') ?? 0,
    paceMs: numberOf('pace') ?? 0,
    errorStatus: numberOf('error'),
    cutAfter: numberOf('cut'),
    json: found.has('json'),
    tool: found.has('tool'),
    longTokens: numberOf('long'),
    hang: found.has('hang'),
  }
}
