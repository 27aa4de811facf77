/** An arena in which a rate of tokens limits what one account uses, and a provider that counts what it has given. */
import { everyoneGroupId } from '#identity/records.ts'
import { aModel } from '../store/store-records.ts'
import { Arena, type ArenaSite } from './arena.ts'

export interface RateOptions extends ArenaSite {
  readonly perSecond: number
  readonly burst: number
}

export interface Given {
  /** Tokens of prompts and answers that were counted. */
  tokens: number
  /** What was reserved for them, for an answer that did not fail. */
  reserved: number
}

const outputMax = 200

/** The arena, and what its provider has given. Answers are shorter than what is reserved for them, fail, break, and are left. */
export async function rateArena(options: RateOptions): Promise<{ arena: Arena; given: Given }> {
  const given: Given = { tokens: 0, reserved: 0 }
  const arena = await Arena.open(options, {
    async fill(store, _user, providerId) {
      await store.models.insert(aModel(providerId, { name: 'arena', groupIds: [everyoneGroupId] }))
    },
    async serve(request) {
      const body = await request.text()
      const { max_tokens: most } = JSON.parse(body) as { max_tokens: number }
      await Bun.sleep(Math.random() * 60)
      const chance = Math.random()
      if (chance < 0.05) return Response.json({ error: { message: 'Broken.' } }, { status: 500 })
      const usage = { prompt_tokens: 1, completion_tokens: Math.floor(most / (1 + 9 * Math.random())) }
      given.tokens += usage.prompt_tokens + usage.completion_tokens
      given.reserved += Math.ceil(body.length / 4) + most
      return Response.json({ id: 'x', object: 'chat.completion', choices: [], usage })
    },
    body() {
      const tokens = 50 + Math.floor(Math.random() * (outputMax - 50))
      return JSON.stringify({ model: 'arena', max_tokens: tokens, messages: [{ role: 'user', content: 'Hi' }] })
    },
    leavesMs: () => (Math.random() < 0.05 ? Math.random() * 80 : Infinity),
    restMs: () => 10 + Math.random() * 40,
    environment: {
      SLUICE_LIMITS_RATES: `user:* tokens ${options.perSecond}/second burst ${options.burst}`,
    },
  })
  return { arena, given }
}
