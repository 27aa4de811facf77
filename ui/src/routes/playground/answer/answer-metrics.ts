/** The metrics of an answer as text: latency, speed and tokens. */
import type { ChatProgress } from '../../../api/stream-chat.ts'
import { countText, durationText } from '../../../components/format.ts'

/** The metrics that are known so far; empty before the first token. */
export function metricTexts(progress: ChatProgress): readonly string[] {
  const { firstTokenMs, elapsedMs, promptTokens, completionTokens } = progress
  if (firstTokenMs === null) return []
  const speed = tokensPerSecond(progress)
  return [
    `first token after ${durationText(firstTokenMs)}`,
    ...(speed === null ? [] : [`${speed >= 10 ? Math.round(speed) : speed.toFixed(1)} tokens/s`]),
    ...(promptTokens === null ? [] : [`${countText(promptTokens, 'token')} in`]),
    ...(completionTokens === null ? [] : [`${countText(completionTokens, 'token')} out`]),
    `${durationText(elapsedMs)} in total`,
  ]
}

/** Shorter times measure the network, not the model. */
const measuredMsMin = 100

/** The speed after the first token; null without a token count, and for answers that arrived all at once. */
export function tokensPerSecond({
  firstTokenMs,
  elapsedMs,
  completionTokens,
}: Pick<ChatProgress, 'firstTokenMs' | 'elapsedMs' | 'completionTokens'>): number | null {
  if (completionTokens === null || firstTokenMs === null || elapsedMs - firstTokenMs < measuredMsMin) return null
  return (completionTokens - 1) / ((elapsedMs - firstTokenMs) / 1000)
}
