/**
 * What a store without an administrator gets, so that the very first request can be answered: an
 * administrator with an API key, and the practice provider.
 *
 * The configuration file goes before: when it declares an administrator, none is made here and no
 * key either; when it declares providers, the practice provider is left out.
 */
import type { ModelRecord, ProviderRecord } from '#catalog/records.ts'
import type { Declared } from '#config/declared/declared.ts'
import { createKeySecret } from '#identity/api-key.ts'
import { hashPassword } from '#identity/password.ts'
import { everyoneGroupId } from '#identity/records.ts'
import { NameTaken } from '#store/errors.ts'
import type { Store } from '#store/store.ts'
import { oneTimePassword } from './one-time-password.ts'
import { StartProblem } from './start-problem.ts'

/** The secrets in here exist nowhere else in clear: show them once and forget them. */
export interface FirstStart {
  readonly userId: string
  readonly email: string
  readonly password: string
  readonly apiKey: string
}

export interface FirstStartOptions {
  readonly store: Store
  readonly declared: Declared
  /** `auth.admin_email`. */
  readonly adminEmail: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Sets up a store that has no administrator. Null when it has one, when another process was first,
 * or when the file declares one. Throws StartProblem when the file makes an ordinary user of whom
 * the settings name as administrator.
 */
export async function firstStart(options: FirstStartOptions): Promise<FirstStart | null> {
  const { store, declared } = options
  const users = await store.users.all()
  if (users.some((user) => user.role === 'admin')) return null
  // The user comes last, except for the key: a start that stops before that is repeated as a whole.
  if (declared.providers.length === 0) await addPracticeProvider(options)
  if (declared.users.some((user) => user.role === 'admin')) return null
  return addAdministrator(options)
}

/** Takes the administrator back whose secrets could not be shown, so that the next start is the first again. */
export async function undoFirstStart(store: Store, { userId }: FirstStart): Promise<void> {
  await store.users.delete(userId)
}

async function addAdministrator({ store, declared, adminEmail, now }: FirstStartOptions): Promise<FirstStart | null> {
  const clash = declared.users.find((user) => user.email === adminEmail)
  if (clash !== undefined) {
    throw new StartProblem(
      `${clash.path}: ${adminEmail} is to become the administrator (auth.admin_email), but is declared with the role user. Declare an administrator, or change one of the two.`,
    )
  }
  const userId = crypto.randomUUID()
  const password = oneTimePassword()
  const user = {
    id: userId,
    email: adminEmail,
    name: 'Administrator',
    role: 'admin',
    disabled: false,
    kind: 'person',
    hasPassword: true,
    declared: false,
    createdAt: now,
  } as const
  const isFirst = await unlessTaken(store.users.insert(user, { hash: await hashPassword(password), isTemporary: true }))
  if (!isFirst) return null
  const { secret, publicId, digest } = createKeySecret()
  await store.keys.insert({
    id: crypto.randomUUID(),
    publicId,
    digest,
    name: 'First key',
    description: 'Made at the first start.',
    userId,
    createdAt: now,
    lastUsedAt: null,
    previous: null,
    expiresAt: null,
    scopes: { modelIds: null, areas: ['inference', 'documents'] },
    priority: 'normal',
  })
  return { userId, email: adminEmail, password, apiKey: secret }
}

const practiceProviderName = 'practice'

const practiceModels: readonly Pick<ModelRecord, 'name' | 'aliases' | 'description' | 'capabilities'>[] = [
  {
    name: 'demo-chat',
    aliases: [],
    description: 'Practice model: no AI is behind it. Answers any chat at once, with true token counts.',
    capabilities: { endpoints: ['chat/completions', 'completions'], input: ['text', 'image'], tools: true },
  },
  {
    name: 'demo-vision',
    // What the generation endpoints ask for when a client names no consumer group.
    aliases: ['primary'],
    description: 'Practice model: no AI is behind it. Reports format, size and colours of the images that it is sent.',
    capabilities: { endpoints: ['chat/completions', 'completions'], input: ['text', 'image'], tools: true },
  },
  {
    name: 'demo-embed',
    aliases: [],
    description: 'Practice model: no AI is behind it. Turns text into vectors by its words, the same each time.',
    capabilities: { endpoints: ['embeddings'], input: ['text'] },
  },
]

async function addPracticeProvider({ store, now }: FirstStartOptions): Promise<void> {
  const stored = await store.providers.all()
  if (stored.some(({ name }) => name !== practiceProviderName)) return
  const provider: ProviderRecord = {
    id: crypto.randomUUID(),
    name: practiceProviderName,
    kind: 'demo',
    baseUrl: '',
    credential: null,
    headers: {},
    timeouts: {},
    options: {},
    reasoning: null,
    maxConcurrent: null,
    servers: null,
    enabled: true,
    declared: false,
    createdAt: now,
  }
  const isFirst = await unlessTaken(store.providers.insert(provider))
  const providerId = isFirst ? provider.id : (await store.providers.byName(provider.name))?.id
  // Deleted again in the meantime: an administrator is at work already.
  if (providerId === undefined) return
  for (const model of practiceModels) await unlessTaken(store.models.insert(practiceModel(model, providerId, now)))
}

function practiceModel(model: (typeof practiceModels)[number], providerId: string, now: number): ModelRecord {
  return {
    ...model,
    id: crypto.randomUUID(),
    target: { kind: 'plain', providerId, upstreamName: model.name },
    rules: {},
    reasoning: null,
    active: true,
    contextLength: null,
    groupIds: [everyoneGroupId],
    inflightLimit: null,
    maxConcurrent: null,
    batch: 'local',
    timeouts: {},
    declared: false,
    createdAt: now,
  }
}

/** False when the name is taken: by another process that starts at the same time. */
async function unlessTaken(insert: Promise<void>): Promise<boolean> {
  try {
    await insert
    return true
  } catch (thrown) {
    if (thrown instanceof NameTaken) return false
    throw thrown
  }
}
