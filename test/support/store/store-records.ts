/** Records for store tests: complete, valid, and different each time, unless a test says otherwise. */
import type { CompositeTarget, ModelRecord, ProviderRecord } from '#catalog/records.ts'
import type { ApiKey, Group, User } from '#identity/records.ts'
import { Secret } from '#lib/secret.ts'
import type { Session } from '#store/identity/sessions.ts'
import type { UsageRecord } from '#store/usage/usage-record.ts'

let made = 0

/** A moment after all earlier ones, so that the order of creation is the order of the calls. */
function nextMoment(): number {
  made += 1
  return 1_760_000_000_000 + made
}

export function aUser(fields: Partial<User> = {}): User {
  const id = crypto.randomUUID()
  return {
    id,
    email: `${id}@example.com`,
    name: 'Ada',
    role: 'user',
    kind: 'person',
    hasPassword: false,
    disabled: false,
    declared: false,
    createdAt: nextMoment(),
    ...fields,
  }
}

export function aGroup(fields: Partial<Group> = {}): Group {
  const id = crypto.randomUUID()
  return {
    id,
    name: `group ${id}`,
    description: '',
    permissions: [],
    declared: false,
    createdAt: nextMoment(),
    ...fields,
  }
}

export function aKey(userId: string, fields: Partial<ApiKey> = {}): ApiKey {
  const id = crypto.randomUUID()
  return {
    id,
    publicId: id.slice(0, 8),
    digest: `digest of ${id}`,
    previous: null,
    name: 'laptop',
    description: '',
    userId,
    createdAt: nextMoment(),
    lastUsedAt: null,
    expiresAt: null,
    scopes: { modelIds: null, areas: null },
    priority: 'normal',
    ...fields,
  }
}

export function aSession(userId: string, fields: Partial<Session> = {}): Session {
  const times = { createdAt: 1, expiresAt: 9_999_999, seenAt: null }
  return { digest: crypto.randomUUID(), userId, ...times, agent: null, address: null, ...fields }
}

export function aProvider(fields: Partial<ProviderRecord> = {}): ProviderRecord {
  const id = crypto.randomUUID()
  return {
    id,
    name: `provider ${id}`,
    kind: 'openai',
    baseUrl: 'https://upstream.example.com/v1',
    credential: new Secret(`credential of ${id}`),
    headers: { 'x-team': 'research' },
    timeouts: { totalSeconds: 60 },
    options: {},
    reasoning: null,
    maxConcurrent: null,
    servers: null,
    enabled: true,
    declared: false,
    createdAt: nextMoment(),
    ...fields,
  }
}

export function aModel(providerId: string, fields: Partial<ModelRecord> = {}): ModelRecord {
  const id = crypto.randomUUID()
  return {
    id,
    name: `model ${id}`,
    aliases: [],
    target: { kind: 'plain', providerId, upstreamName: 'upstream-model' },
    rules: {},
    reasoning: null,
    description: '',
    active: true,
    contextLength: null,
    capabilities: {},
    groupIds: [],
    inflightLimit: null,
    maxConcurrent: null,
    batch: 'local',
    timeouts: {},
    declared: false,
    createdAt: nextMoment(),
    ...fields,
  }
}

/** A composite of these models, all alike unless a test says otherwise. */
export function aComposite(
  modelIds: readonly string[],
  target: Partial<CompositeTarget> = {},
  fields: Partial<ModelRecord> = {},
): ModelRecord {
  const components = modelIds.map((modelId) => ({ modelId, weight: 1, priority: 0, enabled: true }))
  return aModel('', {
    target: { kind: 'composite', strategy: 'weighted', components, failover: {}, ...target },
    ...fields,
  })
}

export function aUsage(fields: Partial<UsageRecord> = {}): UsageRecord {
  return {
    at: nextMoment(),
    requestId: crypto.randomUUID(),
    keyId: null,
    userId: null,
    endpoint: 'chat/completions',
    modelAsked: 'fast',
    modelId: null,
    modelServed: 'gpt-4o',
    provider: 'openai',
    upstreamStatus: 200,
    status: 200,
    code: null,
    streamed: false,
    promptTokens: 10,
    completionTokens: 20,
    firstTokenMs: 30,
    durationMs: 40,
    requestBytes: 50,
    responseBytes: 60,
    attempts: 1,
    upstreamModel: 'gpt-4o',
    attemptReasons: null,
    cachedTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
    cost: null,
    priceId: null,
    units: null,
    counters: null,
    slices: null,
    queueMs: null,
    calledMs: null,
    limits: null,
    ...fields,
  }
}
