/** What an answer cost, by the prices of its model now and the tokens that the provider reported. The usage record is exact. */
import { costOf } from '#pricing/cost.ts'
import type { UsableModel } from '../../../api/schema.d.ts'
import type { Answer } from '../chat/conversation.ts'

/** In 10^-9 of the currency; null when no price is known, or no tokens were reported. */
export function answerCost(
  {
    model,
    progress: { promptTokens, completionTokens, cachedTokens, reasoningTokens, elapsedMs },
  }: Pick<Answer, 'model' | 'progress'>,
  models: readonly Pick<UsableModel, 'name' | 'rates'>[],
): number | null {
  const rates = models.find(({ name }) => name === model)?.rates ?? null
  if (rates === null) return null
  return costOf(
    { rates, tiers: [] },
    {
      inputTokens: promptTokens === null ? null : whole(promptTokens),
      cachedTokens: whole(cachedTokens),
      cacheWriteTokens: 0,
      audioInputTokens: 0,
      imageInputTokens: 0,
      outputTokens: completionTokens === null ? null : whole(completionTokens),
      reasoningTokens: whole(reasoningTokens),
      audioOutputTokens: 0,
      imageOutputTokens: 0,
      images: 0,
      audioMs: 0,
      durationMs: whole(elapsedMs),
    },
  )
}

/** Providers report what they like. */
function whole(count: number): number {
  return Number.isFinite(count) ? Math.max(0, Math.round(count)) : 0
}
