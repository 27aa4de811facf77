/** Declared entities against a real store. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Declared } from '#config/declared/declared.ts'
import { readDeclared } from '#config/declared/read-declared.ts'
import { passwordMatches } from '#identity/password.ts'
import { everyoneGroupId } from '#identity/records.ts'
import { sealer } from '#lib/seal.ts'
import { systemClock } from '#lib/clock.ts'
import { createLogger } from '#observe/log.ts'
import { openStore, type Store } from '#store/store.ts'
import { applyDeclared } from './apply-declared.ts'
import { StartProblem } from './start-problem.ts'
import { aSession } from '#test/support/store/store-records.ts'

let store: Store
let now: number
let logged: string[]

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:', sealer: sealer(new Uint8Array(32)) })
  now = 1000
  logged = []
})
afterEach(() => store.close())

const file = `
providers:
  - name: local
    kind: openai
    base_url: http://127.0.0.1:9/v1
    credential: secret-credential
    headers: {x-team: lab}
    timeouts: {idle_seconds: 5}
    models:
      - {name: small, aliases: [fast], groups: [lab], inflight_limit: 2}
      - {name: large, upstream_name: big-1, context_length: 4096, capabilities: {tools: true}}
groups:
  - {name: lab, description: The lab., members: [ada@example.org]}
  - {name: free}
users:
  - {email: ada@example.org, name: Ada, password: correct horse battery}
  - {email: bob@example.org, role: admin}
aliases: {default: large}
`

function declaredIn(yaml: string): Declared {
  const { declared, problems } = readDeclared('test.yaml', Bun.YAML.parse(yaml) as Record<string, unknown>, {})
  expect(problems).toEqual([])
  return declared
}

async function apply(yaml: string): Promise<number> {
  const logger = createLogger({ level: 'info', format: 'text', clock: systemClock, write: (line) => logged.push(line) })
  return applyDeclared({ store, declared: declaredIn(yaml), kinds: ['openai', 'demo'], logger, now: (now += 1000) })
}

/** Everything in the store that can be declared, secrets included, as text. */
async function contents(): Promise<string> {
  const users = await store.users.all()
  const hashes = await Promise.all(users.map((user) => store.users.password(user.id)))
  const providers = await store.providers.all()
  return JSON.stringify([
    users,
    hashes,
    await store.groups.all(),
    await store.users.memberships(),
    providers,
    providers.map((provider) => provider.credential?.reveal()),
    await store.models.all(),
  ])
}

async function problemsOf(yaml: string): Promise<readonly string[]> {
  try {
    await apply(yaml)
  } catch (thrown) {
    if (thrown instanceof StartProblem) return thrown.lines
    throw thrown
  }
  return []
}

describe('applying declared entities', () => {
  test('an empty store gets all of them, marked as declared', async () => {
    expect(await apply(file)).toBeGreaterThan(0)
    const provider = await store.providers.byName('local')
    expect(provider).toMatchObject({
      baseUrl: 'http://127.0.0.1:9/v1',
      headers: { 'x-team': 'lab' },
      timeouts: { idleSeconds: 5 },
      declared: true,
    })
    expect(provider?.credential?.reveal()).toBe('secret-credential')
    const lab = await store.groups.byName('lab')
    expect(await store.models.byName('fast')).toMatchObject({
      name: 'small',
      target: { kind: 'plain', providerId: provider!.id, upstreamName: 'small' },
      groupIds: [lab!.id],
      inflightLimit: 2,
      declared: true,
    })
    expect(await store.models.byName('default')).toMatchObject({
      name: 'large',
      target: { kind: 'plain', providerId: provider!.id, upstreamName: 'big-1' },
      contextLength: 4096,
      groupIds: [everyoneGroupId],
      capabilities: { tools: true },
    })
    const ada = await store.users.byEmail('ada@example.org')
    expect(ada).toMatchObject({ name: 'Ada', role: 'user', hasPassword: true, declared: true })
    expect(await passwordMatches('correct horse battery', (await store.users.password(ada!.id))?.hash ?? null)).toBe(
      true,
    )
    expect(await store.users.groupsOf(ada!.id)).toEqual([lab!.id])
    expect(await store.users.byEmail('bob@example.org')).toMatchObject({ role: 'admin', hasPassword: false })
  })

  test('the same file a second time writes nothing', async () => {
    await apply(file)
    const before = await contents()
    expect(await apply(file)).toBe(0)
    expect(await contents()).toBe(before)
  })

  test('neither credential nor password is logged', async () => {
    await apply(file)
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.join('')).not.toMatch(/secret-credential|correct horse/)
  })

  test('each change is in the audit log by kind and name, and no secret is', async () => {
    const changes = await apply(file)
    const { items } = await store.audit.list({ limit: 200 })
    expect(items).toHaveLength(changes)
    expect(new Set(items.map(({ source }) => source))).toEqual(new Set(['file']))
    expect(items).toContainEqual(expect.objectContaining({ action: 'provider added', record: 'local' }))
    expect(JSON.stringify(items)).not.toMatch(/secret-credential|correct horse/)
  })

  test('changes in the file change the entity and keep its id', async () => {
    await apply(file)
    const before = await store.models.byName('small')
    await apply(
      file.replace('inflight_limit: 2', 'inflight_limit: 3').replace('secret-credential', 'another-credential'),
    )
    expect(await store.models.byName('small')).toMatchObject({ id: before!.id, inflightLimit: 3 })
    expect((await store.providers.byName('local'))?.credential?.reveal()).toBe('another-credential')
  })

  test('a changed password replaces the old one and ends the sessions of the user', async () => {
    await apply(file)
    const { id } = (await store.users.byEmail('ada@example.org'))!
    await store.sessions.insert(aSession(id, { digest: 'd' }))
    await apply(file.replace('correct horse battery', 'another password'))
    expect(await passwordMatches('another password', (await store.users.password(id))?.hash ?? null)).toBe(true)
    expect(await store.sessions.get('d')).toBeNull()
  })

  test('a person who is declared as a service account keeps the id and loses password and sessions', async () => {
    await apply(file)
    const { id } = (await store.users.byEmail('ada@example.org'))!
    await store.sessions.insert(aSession(id, { digest: 'd' }))
    const changed = file.replace('password: correct horse battery', 'kind: service')
    await apply(changed)
    expect(await store.users.get(id)).toMatchObject({ kind: 'service', hasPassword: false, declared: true })
    expect(await store.sessions.get('d')).toBeNull()
    expect(await apply(changed)).toBe(0)
  })

  test('what the file no longer names stays and becomes editable', async () => {
    await apply(file)
    await apply('groups: [{name: lab}]')
    expect(await store.providers.byName('local')).toMatchObject({ declared: false })
    expect(await store.models.byName('small')).toMatchObject({ declared: false, aliases: ['fast'] })
    expect(await store.groups.byName('free')).toMatchObject({ declared: false })
    expect(await store.users.byEmail('ada@example.org')).toMatchObject({ declared: false })
    expect(await store.groups.byName('lab')).toMatchObject({ declared: true })
    expect(logged.join('')).toContain('released')
  })

  test('an entity that an administrator made is taken over under its id', async () => {
    await store.groups.insert({
      id: crypto.randomUUID(),
      name: 'lab',
      description: 'By hand.',
      permissions: [],
      declared: false,
      createdAt: 5,
    })
    const { id } = (await store.groups.byName('lab'))!
    await apply(file)
    expect(await store.groups.byName('lab')).toMatchObject({
      id,
      description: 'The lab.',
      declared: true,
      createdAt: 5,
    })
  })

  test('a provider that is taken over or moved keeps no secret that the file does not give', async () => {
    await apply(file)
    const moved = file
      .replace('http://127.0.0.1:9/v1', 'http://127.0.0.1:10/v1')
      .replace('    credential: secret-credential\n    headers: {x-team: lab}\n', '')
    await apply(moved)
    expect(await store.providers.byName('local')).toMatchObject({
      baseUrl: 'http://127.0.0.1:10/v1',
      credential: null,
      headers: {},
    })
  })

  test('the permissions of a declared group are exactly those of the file', async () => {
    await apply('groups: [{name: lab, permissions: [documents.share]}]')
    expect(await store.groups.byName('lab')).toMatchObject({ permissions: ['documents.share'] })
    await apply('groups: [{name: lab}]')
    expect(await store.groups.byName('lab')).toMatchObject({ permissions: [] })
  })

  test('who is taken out of the list of members leaves the group', async () => {
    await apply(file)
    await apply(file.replace('members: [ada@example.org]', 'members: []'))
    expect(await store.users.memberships()).toEqual([])
  })

  test('a group without a list keeps the members that an administrator chose', async () => {
    await apply(file)
    const free = (await store.groups.byName('free'))!
    const ada = (await store.users.byEmail('ada@example.org'))!
    await store.groups.addMember(free.id, ada.id)
    expect(await apply(file)).toBe(0)
    expect(await store.users.groupsOf(ada.id)).toContain(free.id)
  })

  test('two models can context their aliases', async () => {
    await apply(file.replace('{name: large,', '{name: large, aliases: [slow],'))
    await apply(
      file.replace('aliases: [fast]', 'aliases: [slow]').replace('{name: large,', '{name: large, aliases: [fast],'),
    )
    expect((await store.models.byName('fast'))?.name).toBe('large')
    expect((await store.models.byName('slow'))?.name).toBe('small')
  })

  test('the file can take an alias from a model that it does not name', async () => {
    await apply(file)
    await apply(
      file.replace(
        '- {name: small, aliases: [fast], groups: [lab], inflight_limit: 2}',
        '- {name: tiny, aliases: [fast]}',
      ),
    )
    expect((await store.models.byName('fast'))?.name).toBe('tiny')
    expect(await store.models.byName('small')).toMatchObject({ aliases: [], declared: false })
  })

  test('an alias can point to a model that is only in the database, which stays editable', async () => {
    await apply(file)
    await apply('aliases: {best: large}')
    expect(await store.models.byName('best')).toMatchObject({
      name: 'large',
      aliases: ['best', 'default'],
      declared: false,
    })
  })

  test('references are found in the database', async () => {
    await apply(file)
    await apply('models: [{name: more, provider: local, groups: [free]}]')
    expect(await store.models.byName('more')).toMatchObject({ declared: true })
  })

  test('composites and rules lead to the models that they name, also to those that come later', async () => {
    const more = `${file}
models:
  - {name: closed, provider: local, rules: {realtime: {action: redirect, model: both}, batch: {action: deny}}}
composites:
  - {name: both, components: [{model: small, weight: 2}, {model: large}], failover: {max_attempts: 2}}
`
    await apply(more)
    const [small, large, both, closed] = await Promise.all(
      ['small', 'large', 'both', 'closed'].map(async (name) => (await store.models.byName(name))!),
    )
    expect(both).toMatchObject({
      declared: true,
      target: {
        kind: 'composite',
        strategy: 'weighted',
        components: [
          { modelId: small!.id, weight: 2, priority: 0, enabled: true },
          { modelId: large!.id, weight: 1, priority: 0, enabled: true },
        ],
        failover: { maxAttempts: 2 },
      },
    })
    expect(closed?.rules).toEqual({
      realtime: { action: 'redirect', modelId: both!.id },
      batch: { action: 'deny' },
    })
    expect(await apply(more)).toBe(0)
    await apply(more.replace('{model: small, weight: 2}, ', ''))
    expect((await store.models.byName('both'))?.target).toMatchObject({ components: [{ modelId: large!.id }] })
  })

  test('a composite is kept apart from composites of the database', async () => {
    await apply(`${file}\ncomposites: [{name: stored, components: [{model: small}]}]`)
    await apply(file)
    expect(
      await problemsOf(`${file.replace('- {name: small,', '- {name: tiny,')}
composites:
  - {name: outer, components: [{model: stored}]}
  - {name: small, components: [{model: large}]}
`),
    ).toEqual([
      'composites[0].components[0].model: "stored" is a composite in the database. Name a plain model.',
      'composites[1].name: "small" is a component of "stored" in the database. Choose another name.',
    ])
  })

  test('everything that cannot be applied is told at once, and nothing is changed', async () => {
    await apply(file)
    const before = await contents()
    const problems = await problemsOf(`
providers: [{name: p, kind: opneai, base_url: http://x/v1}]
models: [{name: m, provider: locl, groups: [labb], aliases: [large]}]
groups: [{name: g, members: [nobody@example.org]}]
aliases: {a: unknown-model}
`)
    expect(problems).toEqual([
      'providers[0].kind: there is no kind "opneai". Did you mean openai?',
      'models[0].provider: there is no provider "locl", neither in the file nor in the database. Did you mean local?',
      'models[0].groups[0]: there is no group "labb", neither in the file nor in the database. Did you mean lab?',
      expect.stringContaining('groups[0].members[0]: there is no user "nobody@example.org"'),
      expect.stringContaining('aliases.a: there is no model "unknown-model"'),
      'models[0].aliases: "large" is the name of a model in the database. Rename or delete that model.',
    ])
    expect(await contents()).toBe(before)
  })

  test('two processes that start from one file at the same time both succeed', async () => {
    const [one, two] = await Promise.all([apply(file), apply(file)])
    expect(one + two).toBeGreaterThan(0)
    expect((await store.users.all()).map((user) => user.email).sort()).toEqual(['ada@example.org', 'bob@example.org'])
    expect(await store.models.all()).toHaveLength(2)
  })
})
