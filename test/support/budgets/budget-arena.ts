/** An arena in which one hard budget limits what models of random prices may cost, and a provider whose bill is the truth. */
import type { Rates } from '#pricing/price.ts'
import { everyoneGroupId } from '#identity/records.ts'
import { Arena, type ArenaSite } from '../limits/arena.ts'
import { aModel } from '../store/store-records.ts'

export interface BudgetOptions extends ArenaSite {
  readonly amount: number
}

export interface BudgetArena {
  readonly arena: Arena
  readonly budgetId: string
  /** The name of its counter. */
  readonly counter: string
  readonly bill: Bill
  /** Holds the records against the bill, request by request. */
  readonly audit: () => Promise<Audit>
}

/** What the provider has begun to answer for, whether a client saw it or not. */
export interface Bill {
  total: number
  readonly requests: Map<string, number>
}

export interface Audit {
  /** The sum of all records. */
  readonly recorded: number
  /** What the records of requests cost that were cut off, or that their client has left, beyond their bill. */
  readonly beyondBill: number
  /** Requests that the provider has billed and that have no record. */
  readonly missing: readonly string[]
  /** Requests whose record is below the bill, or that have ended well and have another cost than on the bill. */
  readonly wrong: readonly string[]
}

const models = ['one', 'two', 'three', 'four']
const outputMax = 100
/** Parts of a token's rate: nano-units for a million of them. */
const perToken = 1_000_000

interface Asked {
  readonly model: string
  readonly max_tokens: number
  readonly stream: boolean
  readonly messages: readonly [{ readonly content: string }]
}

/** Prices are whole nano-units for each token, so that the bill is a sum of products. */
function randomRates() {
  return { input: below(3), cached: below(2), output: 1 + below(9), reasoning: 1 + below(15), request: below(200) }
}

type TokenRates = ReturnType<typeof randomRates>

export async function budgetArena(options: BudgetOptions): Promise<BudgetArena> {
  const bill: Bill = { total: 0, requests: new Map() }
  const budgetId = crypto.randomUUID()
  const rates = new Map(models.map((name) => [name, randomRates()]))
  const arena = await Arena.open(options, {
    async fill(store, user, providerId) {
      for (const [name, price] of rates) {
        const target = { kind: 'plain', providerId, upstreamName: name } as const
        const model = aModel(providerId, { name, target, groupIds: [everyoneGroupId] })
        await store.models.insert(model)
        const fields = { modelId: model.id, source: 'manual', upstream: null, tiers: [], note: '' } as const
        const times = { validFrom: 0, createdAt: 0, replacedAt: null }
        await store.prices.set({ ...fields, ...times, id: `price of ${name}`, rates: ratesOf(price) })
      }
      const scope = { scope: 'user', scopeId: user.id, period: 'total', timeZone: 'UTC' } as const
      const terms = { amount: options.amount, hard: true, thresholds: [], declared: false, createdAt: 0 }
      await store.budgets.insert({ ...scope, ...terms, id: budgetId })
    },
    async serve(request) {
      const asked = (await request.json()) as Asked
      const usage = randomUsage(asked)
      const cost = costOf(rates.get(asked.model)!, usage)
      const id = String(request.headers.get('x-request-id'))
      bill.total += cost
      bill.requests.set(id, (bill.requests.get(id) ?? 0) + cost)
      await Bun.sleep(below(50))
      return asked.stream ? streamOf(usage) : Response.json({ id: 'x', object: 'chat.completion', choices: [], usage })
    },
    body: randomRequest,
    leavesMs: () => (Math.random() < 0.03 ? 20 + below(50) : Infinity),
    restMs: () => 20 + below(50),
  })
  return { arena, budgetId, counter: `${budgetId}@0`, bill, audit: () => auditOf(arena, bill) }
}

function below(most: number): number {
  return Math.floor(Math.random() * most)
}

function ratesOf({ input, cached, output, reasoning, request }: TokenRates): Rates {
  const tokens = { input, cached_input: cached, output, reasoning }
  return { ...Object.fromEntries(Object.entries(tokens).map(([kind, rate]) => [kind, rate * perToken])), request }
}

function randomRequest(): string {
  const messages = [{ role: 'user', content: 'Hi '.repeat(1 + below(50)) }]
  const stream = Math.random() < 0.5
  return JSON.stringify({ model: models[below(models.length)], max_tokens: 1 + below(outputMax), stream, messages })
}

function randomUsage({ max_tokens: most, messages: [{ content }] }: Asked) {
  const prompt = 1 + below(content.length)
  const completion = below(most + 1)
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    prompt_tokens_details: { cached_tokens: below(prompt + 1) },
    completion_tokens_details: { reasoning_tokens: below(completion + 1) },
  }
}

function costOf(price: TokenRates, usage: ReturnType<typeof randomUsage>): number {
  const { cached_tokens: cached } = usage.prompt_tokens_details
  const { reasoning_tokens: reasoning } = usage.completion_tokens_details
  return (
    price.request +
    price.cached * cached +
    price.input * (usage.prompt_tokens - cached) +
    price.reasoning * reasoning +
    price.output * (usage.completion_tokens - reasoning)
  )
}

function streamOf(usage: ReturnType<typeof randomUsage>): Response {
  const frame = { id: 'x', object: 'chat.completion.chunk', model: 'm', created: 0 }
  const said = { ...frame, choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }], usage: null }
  async function* events(): AsyncGenerator<string> {
    yield `data: ${JSON.stringify(said)}\n\n`
    await Bun.sleep(below(50))
    yield `data: ${JSON.stringify({ ...frame, choices: [], usage })}\n\ndata: [DONE]\n\n`
  }
  return new Response(events(), { headers: { 'content-type': 'text/event-stream' } })
}

async function auditOf({ store }: Arena, { requests }: Bill): Promise<Audit> {
  const missing = new Set(requests.keys())
  const wrong: string[] = []
  let recorded = 0
  let beyondBill = 0
  for (let cursor: string | null = null; ;) {
    const page = await store.usage.list({ from: 0, to: Number.MAX_SAFE_INTEGER, limit: 200, cursor })
    for (const { requestId, status, code, cost: known } of page.items) {
      const [cost, billed] = [known ?? 0, requests.get(requestId) ?? 0]
      missing.delete(requestId)
      recorded += cost
      beyondBill += cost - billed
      const isRight = code === null ? cost === billed : cost >= billed
      if (!isRight) wrong.push(`${requestId} (${status} ${code ?? ''}): ${cost} recorded, ${billed} billed`)
    }
    if (page.nextCursor === null) return { recorded, beyondBill, missing: [...missing], wrong }
    cursor = page.nextCursor
  }
}
