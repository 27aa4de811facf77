import { describe, expect, test } from 'bun:test'
import { unresolvedReferences } from './declared.ts'
import { loaded, namesOf, problemsOf } from '../test-support.ts'

const full = `
providers:
  - name: vendor
    kind: openai
    base_url: https://api.example.org/v1/
    credential: \${VENDOR_KEY}
    headers: {x-tenant: "\${TENANT}"}
    timeouts: {connect_seconds: 1, idle_seconds: 0.5}
    enabled: false
    options: {region: "\${TENANT}", stream_usage: false}
    reasoning: {efforts: []}
    servers: {urls: ["https://api2.example.org/v1/"], dns: a}
    models:
      - name: big/one:latest
        upstream_name: big-2025
        aliases: [big]
        groups: [lab]
        description: The big one.
        active: false
        context_length: 1000
        capabilities: {endpoints: [chat/completions], input: [text], tools: true, json_schema: false, reasoning: true}
        inflight_limit: 2
        batch: native
        timeouts: {first_token_seconds: 9, total_seconds: 10}
        rules: {realtime: {action: deny}, batch: {action: redirect, model: small}}
        reasoning: {efforts: [high, low], writes: [{pointer: /reasoning_effort, values: {low: low, high: high}}]}
        prices:
          - {rates: {output: 0.60, input: "0.20"}, tiers: [{above: 200000, rates: {input: 0.4}}]}
          - {rates: {machine_hour: 2}, valid_from: 2026-01-31, note: our own machine}
      - name: small
models:
  - {name: other, provider: stored-provider, groups: []}
composites:
  - name: best
    strategy: priority
    inflight_limit: 5
    failover: {statuses: [500], max_attempts: 2, budget_seconds: 1.5}
    components:
      - {model: small}
      - {model: stored-part, weight: 3, priority: 1, enabled: false}
groups:
  - {name: lab, description: The lab., members: [Ada@Example.org, bob@example.org]}
users:
  - {email: ADA@example.org, name: Ada, role: admin, password: "\${ADA_PASSWORD}", disabled: true}
aliases:
  tiny: small
  far: stored-model
budgets:
  - {scope: user, name: Ada@Example.org, amount: 12.5, period: week, time_zone: Europe/Berlin, thresholds: [50]}
  - {scope: group, name: stored-group, amount: "100", hard: false}
`
const environment = { VENDOR_KEY: 'sk-1', TENANT: 't', ADA_PASSWORD: 'long enough' }

test('everything that is declared arrives typed and with its defaults', () => {
  const { declared } = loaded({ yaml: full, environment })
  const [provider] = declared.providers
  expect(provider).toMatchObject({
    path: 'providers[0]',
    name: 'vendor',
    kind: 'openai',
    baseUrl: 'https://api.example.org/v1',
    timeouts: { connectSeconds: 1, idleSeconds: 0.5 },
    enabled: false,
    options: { region: 't', stream_usage: false },
    reasoning: { efforts: [], writes: [] },
    servers: { urls: ['https://api2.example.org/v1'], dns: 'a', strategy: 'affinity' },
  })
  expect(provider?.credential?.reveal()).toBe('sk-1')
  expect(provider?.headers['x-tenant']?.reveal()).toBe('t')
  expect(declared.models).toEqual([
    {
      path: 'providers[0].models[0]',
      name: 'big/one:latest',
      target: { kind: 'plain', provider: 'vendor', upstreamName: 'big-2025' },
      rules: { realtime: { action: 'deny' }, batch: { action: 'redirect', model: 'small' } },
      reasoning: {
        efforts: ['low', 'high'],
        writes: [{ pointer: '/reasoning_effort', values: { low: 'low', high: 'high' } }],
      },
      prices: [
        {
          validFrom: 0,
          rates: { input: 200_000_000, output: 600_000_000 },
          tiers: [{ above: 200_000, rates: { input: 400_000_000 } }],
          note: '',
        },
        {
          validFrom: Date.UTC(2026, 0, 31),
          rates: { machine_hour: 2_000_000_000 },
          tiers: [],
          note: 'our own machine',
        },
      ],
      aliases: ['big'],
      groups: ['lab'],
      description: 'The big one.',
      active: false,
      contextLength: 1000,
      capabilities: {
        endpoints: ['chat/completions'],
        input: ['text'],
        tools: true,
        jsonSchema: false,
        reasoning: true,
      },
      inflightLimit: 2,
      batch: 'native',
      maxConcurrent: null,
      timeouts: { firstTokenSeconds: 9, totalSeconds: 10 },
    },
    {
      path: 'providers[0].models[1]',
      name: 'small',
      target: { kind: 'plain', provider: 'vendor', upstreamName: 'small' },
      rules: {},
      reasoning: null,
      prices: null,
      aliases: [],
      groups: ['everyone'],
      description: '',
      active: true,
      contextLength: null,
      capabilities: {},
      inflightLimit: null,
      batch: 'local',
      maxConcurrent: null,
      timeouts: {},
    },
    expect.objectContaining({
      path: 'models[0]',
      name: 'other',
      target: { kind: 'plain', provider: 'stored-provider', upstreamName: 'other' },
      groups: [],
    }),
    expect.objectContaining({
      path: 'composites[0]',
      name: 'best',
      target: {
        kind: 'composite',
        strategy: 'priority',
        components: [
          { model: 'small', weight: 1, priority: 0, enabled: true },
          { model: 'stored-part', weight: 3, priority: 1, enabled: false },
        ],
        failover: { statuses: [500], maxAttempts: 2, budgetSeconds: 1.5 },
      },
      rules: {},
      reasoning: null,
      groups: ['everyone'],
      inflightLimit: 5,
      batch: 'local',
      maxConcurrent: null,
    }),
  ])
  expect(declared.groups).toEqual([
    {
      path: 'groups[0]',
      name: 'lab',
      description: 'The lab.',
      permissions: [],
      members: ['ada@example.org', 'bob@example.org'],
    },
  ])
  expect(declared.users[0]).toMatchObject({ email: 'ada@example.org', name: 'Ada', role: 'admin', disabled: true })
  expect(declared.users[0]?.password?.reveal()).toBe('long enough')
  expect(declared.aliases).toEqual([
    { path: 'aliases.tiny', alias: 'tiny', model: 'small' },
    { path: 'aliases.far', alias: 'far', model: 'stored-model' },
  ])
  expect(declared.budgets).toEqual([
    {
      path: 'budgets[0]',
      scope: 'user',
      name: 'ada@example.org',
      amount: 12_500_000_000,
      period: 'week',
      timeZone: 'Europe/Berlin',
      hard: true,
      thresholds: [50],
    },
    {
      path: 'budgets[1]',
      scope: 'group',
      name: 'stored-group',
      amount: 100_000_000_000,
      period: 'month',
      timeZone: 'UTC',
      hard: false,
      thresholds: [80, 100],
    },
  ])
})

test('names that the file does not declare are listed for a look-up in the store', () => {
  expect(unresolvedReferences(loaded({ yaml: full, environment }).declared)).toEqual([
    { path: 'models[0].provider', kind: 'provider', name: 'stored-provider' },
    { path: 'composites[0].components[1].model', kind: 'model', name: 'stored-part' },
    { path: 'groups[0].members[1]', kind: 'user', name: 'bob@example.org' },
    { path: 'aliases.far', kind: 'model', name: 'stored-model' },
    { path: 'budgets[1].name', kind: 'group', name: 'stored-group' },
  ])
})

test('a file without declarations declares nothing', () => {
  expect(loaded({ yaml: 'providers: []\naliases: {}\nusers:\n' }).declared).toEqual({
    providers: [],
    models: [],
    groups: [],
    users: [],
    aliases: [],
    budgets: [],
  })
})

test('a blank field counts as left out', () => {
  const { declared } = loaded({ yaml: 'providers: [{name: p, credential: , headers: , timeouts: {idle_seconds: }}]' })
  expect(declared.providers[0]).toMatchObject({ credential: null, headers: {}, timeouts: {} })
})

describe('problems', () => {
  test('those of all entities are reported at once, also inside a provider that is wrong itself', () => {
    const problems = problemsOf({
      yaml: `
providers:
  - {name: a b, base_url: ftp://x, models: [{}, {name: m, inflight_limit: 0}, 5]}
  - {kind: openai, models: 5}
models: [{name: x}]
groups: {a: b}
users: [{email: nobody}, {email: a@b, role: boss, password: short}, {email: c@d, kind: service, password: long enough}]
aliases: {z: 5}
budgets: [{scope: key, name: k, amount: 1}, {scope: user, name: a@b, amount: 1e-10, period: year, thresholds: [9, 9]}]
`,
    })
    expect(namesOf(problems).toSorted()).toEqual(
      [
        'providers[0].name',
        'providers[0].base_url',
        'providers[0].models[0].name',
        'providers[0].models[1].inflight_limit',
        'providers[0].models[2]',
        'providers[1].name',
        'providers[1].models',
        'models[0].provider',
        'groups',
        'users[0].email',
        'users[1].role',
        'users[1].password',
        'users[2].password',
        'aliases.z.model',
        'budgets[0].scope',
        'budgets[1].amount',
        'budgets[1].period',
        'budgets[1].thresholds',
      ].toSorted(),
    )
  })

  test.each([
    ['providers: [{name: p, credentail: x}]', 'providers[0].credentail', 'credential'],
    ['providers: [{name: p, timeouts: {idle_second: 1}}]', 'providers[0].timeouts.idle_second', 'idle_seconds'],
    ['providers: [{name: p, models: [{name: m, alias: x}]}]', 'providers[0].models[0].alias', 'aliases'],
    ['users: [{email: a@b, rol: admin}]', 'users[0].rol', 'role'],
  ])('an unknown field is refused with the nearest known one (%#)', (yaml, name, nearest) => {
    expect(problemsOf({ yaml })).toMatchObject([{ name, remedy: `Did you mean ${nearest}?` }])
  })

  test.each([
    ['providers: [{name: p}, {name: p}]', 'providers[1].name'],
    ['users: [{email: a@b}, {email: A@B}]', 'users[1].email'],
    ['groups: [{name: g}, {name: g}]', 'groups[1].name'],
    ['groups: [{name: everyone}]', 'groups[0].name'],
    ['budgets: [{scope: user, name: a@b, amount: 1}, {scope: user, name: A@B, amount: 2}]', 'budgets[1]'],
    ['providers: [{name: p, models: [{name: m}]}]\nmodels: [{name: m, provider: p}]', 'models[0].name'],
    ['models: [{name: m, provider: p, aliases: [m]}]', 'models[0].aliases[0]'],
    ['models: [{name: m, provider: p, aliases: [a]}]\naliases: {a: m}', 'aliases.a'],
    ['models: [{name: m, provider: p}]\naliases: {m: m}', 'aliases.m'],
    ['models: [{name: m, provider: p, aliases: [a]}]\naliases: {b: a}', 'aliases.b'],
  ])('a name that is taken is refused where it comes second (%#)', (yaml, name) => {
    expect(namesOf(problemsOf({ yaml }))).toEqual([name])
  })

  test.each([
    ['composites: [{name: c}]', 'composites[0].components'],
    ['composites: [{name: c, components: []}]', 'composites[0].components'],
    ['composites: [{name: c, provider: p, components: [{model: a}]}]', 'composites[0].provider'],
    ['composites: [{name: c, strategy: fastest, components: [{model: a}]}]', 'composites[0].strategy'],
    ['composites: [{name: c, components: [{model: a}, {model: a}]}]', 'composites[0].components[1].model'],
    ['composites: [{name: c, components: [{model: a, weight: 0}]}]', 'composites[0].components[0].weight'],
    ['composites: [{name: c, components: [{model: a}], reasoning: {efforts: []}}]', 'composites[0].reasoning'],
    ['models: [{name: m, provider: p}]\ncomposites: [{name: m, components: [{model: a}]}]', 'composites[0].name'],
  ])('a composite that cannot be is refused (%#)', (yaml, name) => {
    expect(namesOf(problemsOf({ yaml }))).toEqual([name])
  })

  test.each([
    ['[{rates: {inputs: 1}}]', '.prices[0].rates.inputs'],
    ['[{rates: {input: -1}}]', '.prices[0].rates.input'],
    ['[{rates: {}, valid_from: yesterday}]', '.prices[0].valid_from'],
    ['[{rates: {}}, {rates: {input: 1}}]', '.prices'],
    ['[{rates: {}, tiers: [{above: 2, rates: {}}, {above: 2, rates: {}}]}]', '.prices[0].tiers'],
  ])('a price that is wrong is named (%#)', (prices, name) => {
    const problems = problemsOf({ yaml: `models: [{name: m, provider: p, prices: ${prices}}]` })
    expect(namesOf(problems)).toEqual([`models[0]${name}`])
  })

  test('a composite in a composite is refused, and a redirect to a model that redirects, too', () => {
    const problems = problemsOf({
      yaml: `
composites:
  - {name: outer, components: [{model: a}, {model: inner}]}
  - {name: inner, components: [{model: a}], rules: {batch: {action: redirect, model: inner}}}
models:
  - {name: a, provider: p, rules: {realtime: {action: redirect, model: b}}}
  - {name: b, provider: p, rules: {realtime: {action: redirect, model: c}, batch: {action: redirect, model: c}}}
  - {name: c, provider: p, rules: {realtime: {action: deny}}}
`,
    })
    expect(problems).toMatchObject([
      { name: 'composites[0].components[1].model', value: '"inner"' },
      { name: 'models[0].rules.realtime.model', value: '"b"' },
      { name: 'composites[1].rules.batch.model', value: '"inner"' },
    ])
  })

  test('the value of an option is not shown', () => {
    const [problem, ...more] = problemsOf({ yaml: 'providers: [{name: p, options: {a b: canary-secret}}]' })
    expect([problem?.name, more]).toEqual(['providers[0].options.a b', []])
    expect(JSON.stringify(problem)).not.toContain('canary')
  })

  test('names of models differ by case, names of users do not', () => {
    expect(loaded({ yaml: 'models: [{name: m, provider: p}, {name: M, provider: p}]' }).declared.models).toHaveLength(2)
  })

  test('an unset variable is one problem, not a second one for the value in its place', () => {
    const problems = problemsOf({ yaml: 'providers: [{name: p, base_url: "${GONE}"}]' })
    expect(problems).toMatchObject([{ name: 'providers[0].base_url', remedy: 'Set it, or write the value itself.' }])
  })

  test('a header that could smuggle another one is refused', () => {
    const problems = problemsOf({ yaml: 'providers: [{name: p, headers: {"a b": x, c: "d\\r\\ne: f"}}]' })
    expect(namesOf(problems)).toEqual(['providers[0].headers.a b', 'providers[0].headers.c'])
  })
})
