/**
 * A team's worth of made-up data for looking at the console: users, groups, providers, models, keys,
 * prices, budgets, two months of requests and some documents. The same at every run but for ids and the hour of day. Its
 * providers lead to one scripted upstream; whoever starts it decides what that answers.
 */
import { nanoPerUnit } from '#pricing/nano.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'
import type { AdminApp } from './admin-app.ts'
import { aUsage } from '../store/store-records.ts'

const dayMs = 86_400_000
const requestCount = 2400
/** Requests of the two months before that day. */
const earlierCount = 1500
const earlierDays = 62
/** Their prompts and answers are so many times as long. */
const earlierScale = 20
/** Days over which the spent part of a budget is spread. */
const spentDays = 20

interface SampleModel {
  readonly name: string
  readonly provider: string
  readonly aliases: readonly string[]
  readonly description: string
  readonly context: number
  readonly input: readonly string[]
  /** Milliseconds to the first token, about. */
  readonly firstTokenMs: number
  /** For a million tokens, in 10^-9 of a dollar; null when nobody knows. */
  readonly rates: { readonly input: number; readonly output: number } | null
}

const sampleModels: readonly SampleModel[] = [
  {
    name: 'gpt-5-mini',
    provider: 'openai',
    aliases: ['fast'],
    description: 'Quick answers, extraction, classification.',
    context: 400_000,
    input: ['text', 'image'],
    firstTokenMs: 420,
    rates: { input: 250_000_000, output: 2_000_000_000 },
  },
  {
    name: 'claude-sonnet-4-5',
    provider: 'anthropic',
    aliases: ['writer'],
    description: 'Long documents and careful writing.',
    context: 200_000,
    input: ['text', 'image'],
    firstTokenMs: 780,
    rates: { input: 3_000_000_000, output: 15_000_000_000 },
  },
  {
    name: 'qwen3-32b',
    provider: 'vllm-berlin',
    aliases: ['internal'],
    description: 'On our own machines: nothing leaves the building.',
    context: 131_072,
    input: ['text'],
    firstTokenMs: 160,
    rates: null,
  },
]

const people = [
  ['grace@example.org', 'Grace Hopper'],
  ['katherine@example.org', 'Katherine Johnson'],
  ['alan@example.org', 'Alan Turing'],
  ['barbara@example.org', 'Barbara Liskov'],
] as const

const handbook = `# Leave

Up to five vacation days may be carried over to the next year. They lapse on the last day of March.

# Parental leave

Parents may take twenty weeks of leave after a birth, with full pay. The dates are agreed with the team four weeks before.

# Travel

Travel is by train where a train takes less than six hours. Hotels above 180 euros a night need an approval in writing.

# Sick leave

Call in before ten o'clock. A doctor's note is needed from the third day on.
`

const documents: readonly (readonly [name: string, category: string, text: string])[] = [
  ['employee-handbook.md', 'handbooks', handbook],
  ['travel-policy.md', 'policies', '# Travel\n\nBook through the portal. Receipts are kept for ten years.'],
  ['security-basics.md', 'policies', '# Passwords\n\nUse the password manager. Report a lost laptop within the hour.'],
  ['onboarding.txt', 'handbooks', 'Your first week: Monday laptop and keys, Tuesday a tour of the building.'],
]

/** Fills the app of `startConsoleApp`; `upstreamUrl` is where the providers of the sample lead to. */
export async function fillConsole(app: AdminApp, upstreamUrl: string): Promise<void> {
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await app.call<{ id: string }>('POST', path, { body })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
    return answer.body.id
  }
  const users = new Map<string, string>()
  for (const [email, name] of people) users.set(email, await made('/users', { email, name }))
  const research = await made('/groups', { name: 'research', description: 'Models that are being tried out' })
  const support = await made('/groups', { name: 'support', description: 'The help desk' })
  for (const [index, userId] of [...users.values()].entries())
    await app.call('PUT', `/users/${userId}/groups/${index % 2 === 0 ? research : support}`)
  await fillModels(made, upstreamUrl)
  const keyIds = [
    await made(`/users/${app.adminId}/keys`, { name: 'nightly reports', description: 'Summaries of the day' }),
    await made(`/users/${app.adminId}/keys`, { name: 'help desk bot', scopes: { areas: ['inference'] } }),
    await made(`/users/${app.adminId}/keys`, {
      name: 'import of contracts',
      description: 'Until the archive has moved',
      expires_at: new Date(Date.now() + 30 * dayMs).toISOString(),
      scopes: { areas: ['documents'] },
    }),
  ]
  const userIds = [app.adminId, app.userId, ...users.values()]
  await app.store.usage.insertMany([...usageOf(userIds, keyIds), ...earlierUsageOf(userIds, keyIds)])
  await fillBudgets(app, [
    { scope: 'user', scope_id: users.get('grace@example.org') ?? '', amount: 5, share: 0.87, hard: true },
    { scope: 'group', scope_id: research, amount: 40, share: 0.41, hard: true },
    { scope: 'group', scope_id: support, amount: 15, share: 0.12, hard: false },
    { scope: 'key', scope_id: keyIds[1] ?? '', amount: 2, share: 1, hard: true },
  ])
  await importDocuments(app)
}

async function fillModels(made: (path: string, body: object) => Promise<string>, upstreamUrl: string): Promise<void> {
  for (const { name, provider, aliases, description, context, input, rates } of sampleModels) {
    const provider_id = await made('/providers', { name: provider, kind: 'openai', base_url: upstreamUrl })
    const capabilities = { endpoints: ['chat/completions', 'responses'], input, tools: true }
    const model = { name, provider_id, aliases, description, context_length: context, capabilities }
    const id = await made('/models', model)
    if (rates !== null) await made(`/models/${id}/prices`, { rates, valid_from: '2026-01-01T00:00:00Z' })
  }
  const components = [
    { model: 'qwen3-32b', priority: 0 },
    { model: 'gpt-5-mini', priority: 1 },
  ]
  await made('/models', {
    name: 'always-on',
    description: 'Our own machines first, a vendor when they are down.',
    aliases: ['default'],
    composite: { strategy: 'priority', components },
  })
}

interface SampleBudget {
  readonly scope: string
  readonly scope_id: string
  /** In dollars. */
  readonly amount: number
  /** What is spent of it. */
  readonly share: number
  readonly hard: boolean
}

async function fillBudgets(app: AdminApp, budgets: readonly SampleBudget[]): Promise<void> {
  for (const { amount, share, ...fields } of budgets) {
    const body = { ...fields, period: 'month', amount: amount * nanoPerUnit }
    const { id, starts_at: from } = (await app.call<{ id: string; starts_at: string }>('POST', '/budgets', { body }))
      .body
    const counters = JSON.stringify([`${id}@${Date.parse(from)}`])
    const cost = Math.round(amount * share * nanoPerUnit)
    const part = {
      modelServed: 'claude-sonnet-4-5',
      provider: 'anthropic',
      cost: Math.round(cost / spentDays),
      counters,
    }
    const days = Array.from({ length: spentDays }, (_, day) => Date.now() - 1000 - day * dayMs)
    await app.store.usage.insertMany(days.map((at) => aUsage({ ...part, at })))
  }
}

async function importDocuments(app: AdminApp): Promise<void> {
  const files = documents.map(([name, category, text]) => ({
    bytes: text,
    encoding: 'utf-8',
    name,
    category,
    owners: 'everyone',
  }))
  const body = { files, chunk_units: 48, wait_for_completion: true }
  const { status, text } = await app.call('POST', '//api/v1/documents', {
    headers: { 'content-type': 'application/json' },
    body,
  })
  if (status !== 202) throw new Error(text)
}

/** A day with a night, a lunch break and half an hour in which one provider is down. */
function usageOf(userIds: readonly string[], keyIds: readonly string[]): readonly UsageRecord[] {
  const now = Date.now()
  const random = randomFrom(42)
  const records: UsageRecord[] = []
  while (records.length < requestCount) {
    const at = now - Math.floor(random() * dayMs)
    const hour = new Date(at).getHours()
    const busy = hour >= 8 && hour < 18 ? (hour === 12 ? 0.6 : 1) : 0.25
    if (random() > busy) continue
    const pick = random()
    const model = sampleModels[pick < 0.5 ? 0 : pick < 0.75 ? 2 : 1]
    if (model === undefined) continue
    const isOutage = model.name === 'qwen3-32b' && now - at > 30_000 && now - at < 40 * 60_000
    records.push(recordOf(model, { at, isOutage, random, userIds, keyIds }))
  }
  return records.toSorted((a, b) => a.at - b.at)
}

/** A few requests of each working day of the two months before. */
function earlierUsageOf(userIds: readonly string[], keyIds: readonly string[]): readonly UsageRecord[] {
  const now = Date.now()
  const random = randomFrom(7)
  return Array.from({ length: earlierCount }, () => {
    const at = now - dayMs - Math.floor(random() * earlierDays * dayMs)
    const model = sampleModels[Math.floor(random() * sampleModels.length)] ?? sampleModels[0]
    if (model === undefined) throw new Error('the sample has no model')
    return recordOf(model, { at, isOutage: false, random, userIds, keyIds, scale: earlierScale })
  }).toSorted((a, b) => a.at - b.at)
}

interface Moment {
  readonly at: number
  readonly isOutage: boolean
  readonly random: () => number
  readonly userIds: readonly string[]
  readonly keyIds: readonly string[]
  readonly scale?: number
}

/** How a request ended. */
type Ending = 'answered' | 'failed over' | 'failed' | 'limited'

const unreachable = [{ provider: 'vllm-berlin', reason: 'upstream_unreachable' }]

/** What the usage record says of each ending, besides model and figures. */
const endings: Readonly<Record<Ending, Partial<UsageRecord>>> = {
  answered: {},
  'failed over': {
    modelAsked: 'default',
    modelServed: 'always-on',
    provider: 'openai',
    upstreamModel: 'gpt-5-mini',
    attempts: 2,
    attemptReasons: unreachable,
  },
  failed: { ...noFigures(35), upstreamStatus: 502, status: 502, code: 'upstream_error' },
  limited: { ...noFigures(2), upstreamStatus: null, status: 429, code: 'inflight_limit_exceeded', attempts: 0 },
}

function noFigures(durationMs: number): Partial<UsageRecord> {
  return { promptTokens: null, completionTokens: null, firstTokenMs: null, durationMs }
}

function endingOf(chance: number, isOutage: boolean): Ending {
  if (isOutage) return chance < 0.85 ? 'failed over' : 'failed'
  return chance < 0.008 ? 'failed' : chance < 0.014 ? 'limited' : 'answered'
}

function recordOf(model: SampleModel, { at, isOutage, random, userIds, keyIds, scale = 1 }: Moment): UsageRecord {
  const tokens = Math.round(60 + random() ** 2 * 900) * scale
  const prompt = Math.round(200 + random() ** 2 * 6000) * scale
  const firstTokenMs = Math.round(model.firstTokenMs * (0.7 + random() ** 3 * 2))
  return aUsage({
    at,
    requestId: `req_${Math.floor(random() * 2 ** 52).toString(36)}`,
    userId: userIds[Math.floor(random() ** 1.6 * userIds.length)] ?? null,
    keyId: keyIds[Math.floor(random() * keyIds.length)] ?? null,
    modelAsked: model.aliases[0] ?? model.name,
    modelServed: model.name,
    provider: model.provider,
    upstreamModel: model.name,
    streamed: random() < 0.8,
    promptTokens: prompt,
    completionTokens: tokens,
    cost:
      model.rates === null ? null : Math.round((prompt * model.rates.input + tokens * model.rates.output) / 1_000_000),
    firstTokenMs,
    durationMs: firstTokenMs + tokens * 9,
    ...endings[endingOf(random(), isOutage)],
  })
}

/** Numbers from 0 to 1 that are the same at every run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
