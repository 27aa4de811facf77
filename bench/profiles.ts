/**
 * The kinds of answers that the benchmark's upstream gives. Each has an address and a model of its
 * own, so that neither the upstream nor a plain proxy has to read the request to know what to do.
 */

export interface StreamShape {
  /** Milliseconds from the request to the first event. */
  readonly firstMs: number
  /** Milliseconds between events. */
  readonly gapMs: number
  readonly events: number
}

export const profiles = {
  json: null,
  sse: { firstMs: 0, gapMs: 10, events: 100 },
  ttft: { firstMs: 50, gapMs: 50, events: 20 },
  streams: { firstMs: 100, gapMs: 250, events: 80 },
} as const satisfies Record<string, StreamShape | null>

export type ProfileName = keyof typeof profiles

export const profileNames = Object.keys(profiles) as readonly ProfileName[]

/** The model that a gateway offers for this profile. */
export function modelOf(profile: ProfileName): string {
  return `bench-${profile}`
}

/** A request like a chat turn with a short history: about 900 bytes. */
export function requestBody(profile: ProfileName): string {
  const sentence = 'Explain in two sentences why the sky is blue, and cite one experiment that shows it. '
  const messages = [
    { role: 'system', content: 'You are a careful assistant. Answer briefly, and say so when you do not know.' },
    { role: 'user', content: sentence.repeat(3) },
    { role: 'assistant', content: 'Short waves are scattered more strongly by the air than long ones.' },
    { role: 'user', content: sentence.repeat(3) },
  ]
  return JSON.stringify({ model: modelOf(profile), messages, temperature: 0.2, stream: profiles[profile] !== null })
}
