/** The figures of an answer in words: how soon, how fast, how much. */
import type { ChatProgress } from '../../../api/stream-chat.ts'
import { countText, durationText } from '../../../components/format.ts'

/** What is known of them by now, shortest first; empty before the first token. */
export function figuresOf(progress: ChatProgress): readonly string[] {
  const { firstTokenMs, elapsedMs, promptTokens, completionTokens } = progress
  if (firstTokenMs === null) return []
  const speed = tokensPerSecond(progress)
  return [
    `first token after ${durationText(firstTokenMs)}`,
    ...(speed === null ? [] : [`${speed >= 10 ? Math.round(speed) : speed.toFixed(1)} tokens/s`]),
    ...(promptTokens === null ? [] : [`${countText(promptTokens, 'token')} in`]),
    ...(completionTokens === null ? [] : [`${countText(completionTokens, 'token')} out`]),
    `${durationText(elapsedMs)} in all`,
  ]
}

/** Shorter ones tell of the network and not of the model. */
const paceMsMin = 100

/** Pace after the first token; null while the provider has not counted, and for what came all at once. */
export function tokensPerSecond({ firstTokenMs, elapsedMs, completionTokens }: ChatProgress): number | null {
  if (completionTokens === null || firstTokenMs === null || elapsedMs - firstTokenMs < paceMsMin) return null
  return (completionTokens - 1) / ((elapsedMs - firstTokenMs) / 1000)
}
