/** An arena in which requests in flight are limited, and a provider that counts what it has in flight. */
import { everyoneGroupId } from '#identity/records.ts'
import { aModel } from '../store/store-records.ts'
import { Arena, type ArenaSite } from './arena.ts'

export interface InflightOptions extends ArenaSite {
  /** Of the one account on the one model. */
  readonly limit: number
  /** What the limit is of: requests in flight of the account (when left out), or the model's cap, for which requests wait. */
  readonly kind?: 'inflight' | 'cap'
  /** How long the provider takes, in milliseconds. */
  readonly holdMs: () => number
}

/** What the provider has seen. */
export interface Sightings {
  inFlight: number
  most: number
  answered: number
}

/** The arena, and what its provider sees. */
export async function inflightArena(options: InflightOptions): Promise<{ arena: Arena; seen: Sightings }> {
  const seen: Sightings = { inFlight: 0, most: 0, answered: 0 }
  const { limit, kind = 'inflight', holdMs } = options
  const arena = await Arena.open(options, {
    async fill(store, _user, providerId) {
      const limited = kind === 'cap' ? { maxConcurrent: limit } : { inflightLimit: limit }
      await store.models.insert(aModel(providerId, { name: 'arena', groupIds: [everyoneGroupId], ...limited }))
    },
    async serve(request) {
      await request.arrayBuffer()
      seen.inFlight += 1
      seen.most = Math.max(seen.most, seen.inFlight)
      const gone = new Promise<void>((resolve) => request.signal.addEventListener('abort', () => resolve()))
      await Promise.race([Bun.sleep(holdMs()), gone])
      seen.inFlight -= 1
      seen.answered += 1
      const usage = { prompt_tokens: 1, completion_tokens: 1 }
      return Response.json({ id: 'x', object: 'chat.completion', choices: [], usage })
    },
    body: () => '{"model":"arena","messages":[{"role":"user","content":"Hi"}]}',
    restMs: () => 100 + Math.random() * 200,
    environment: { SLUICE_LIMITS_REALTIME_INFLIGHT_ENFORCE: String(kind !== 'cap') },
  })
  return { arena, seen }
}
