/** The figures of an answer in words: how soon, how fast, how much. */
import type { ChatProgress } from '../../../api/stream-chat.ts'

/** What is known of them by now, shortest first; empty before the first token. */
export function figuresOf(progress: ChatProgress): readonly string[] {
  const { firstTokenMs, elapsedMs, promptTokens, completionTokens } = progress
  if (firstTokenMs === null) return []
  const speed = tokensPerSecond(progress)
  return [
    `first token after ${durationOf(firstTokenMs)}`,
    ...(speed === null ? [] : [`${speed >= 10 ? Math.round(speed) : speed.toFixed(1)} tokens/s`]),
    ...(promptTokens === null ? [] : [`${counted(promptTokens)} in`]),
    ...(completionTokens === null ? [] : [`${counted(completionTokens)} out`]),
    `${durationOf(elapsedMs)} in all`,
  ]
}

/** Shorter ones tell of the network and not of the model. */
const paceMsMin = 100

/** Pace after the first token; null while the provider has not counted, and for what came all at once. */
export function tokensPerSecond({ firstTokenMs, elapsedMs, completionTokens }: ChatProgress): number | null {
  if (completionTokens === null || firstTokenMs === null || elapsedMs - firstTokenMs < paceMsMin) return null
  return (completionTokens - 1) / ((elapsedMs - firstTokenMs) / 1000)
}

/** Milliseconds below a second, seconds above. */
export function durationOf(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

function counted(tokens: number): string {
  return `${tokens.toLocaleString('en-US')} ${tokens === 1 ? 'token' : 'tokens'}`
}
