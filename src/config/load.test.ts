import { externalReaders } from './settings/external-readers.ts'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Secret } from '#lib/secret.ts'
import { defaultSettings, loadConfig } from './load.ts'
import { problemText } from './problem.ts'
import { exampleSecretKey, settingNames, variableOf } from './settings/records.ts'
import { sourceText } from './settings/source.ts'
import { load, loaded, namesOf, problemsOf } from './test-support.ts'

const canary = 'canary-7f3a9c'
const goodKey = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY='

describe('sources', () => {
  test('without any configuration every setting has its default', () => {
    const { settings, sources, file } = loaded()
    expect(settings).toEqual(defaultSettings())
    expect(settings['server.port']).toBe(3001)
    expect(settings['database.url']).toBeNull()
    expect(new Set(Object.values(sources).map((source) => source.kind))).toEqual(new Set(['default']))
    expect(file).toBeNull()
  })

  test('the settings cannot be changed by the code that holds them', () => {
    expect(Object.isFrozen(loaded().settings)).toBe(true)
  })

  test('the file beats the default, the environment beats the file, --set beats the environment', () => {
    const yaml = 'server: {port: 1001, host: 10.0.0.1, drain_seconds: 1}'
    const environment = { SLUICE_SERVER_PORT: '1002', SLUICE_SERVER_DRAIN_SECONDS: '2' }
    const { settings, sources } = loaded({ yaml, environment, overrides: ['server.port=1003', 'server.port=1004'] })
    expect(settings['server.host']).toBe('10.0.0.1')
    expect(settings['server.drain_seconds']).toBe(2)
    expect(settings['server.port']).toBe(1004)
    expect(sourceText(sources['server.host'])).toEndWith('sluice.yaml: server.host')
    expect(sourceText(sources['server.drain_seconds'])).toBe('SLUICE_SERVER_DRAIN_SECONDS')
    expect(sourceText(sources['server.port'])).toBe('--set')
    expect(sourceText(sources['log.level'])).toBe('default')
  })

  test('a blank value counts as not set, in the environment and in the file', () => {
    const { settings, sources } = loaded({
      yaml: 'server:\n  port:\nlog:\nproviders:\n',
      environment: { SLUICE_SERVER_PORT: '  ', SLUICE_SERVER_HOST: '' },
    })
    expect(settings).toEqual(defaultSettings())
    expect(sources['server.port'].kind).toBe('default')
  })

  test('names with dots are taken in the file as well as nested ones, but not both for one setting', () => {
    expect(loaded({ yaml: 'server.port: 7' }).settings['server.port']).toBe(7)
    expect(namesOf(problemsOf({ yaml: 'server.port: 7\nserver:\n  port: 8' }))).toEqual(['server.port'])
  })

  test('SLUICE_CONFIG names the file, and --config is stronger', () => {
    const missing = join(import.meta.dir, 'no-such-file.yaml')
    const fromVariable = loadConfig({ environment: { SLUICE_CONFIG: missing } })
    expect(fromVariable).toMatchObject({ kind: 'problems', problems: [{ source: 'SLUICE_CONFIG', name: missing }] })
    const fromOption = loadConfig({ configFile: `${missing}.too`, environment: { SLUICE_CONFIG: missing } })
    expect(fromOption).toMatchObject({ kind: 'problems', problems: [{ source: '--config', name: `${missing}.too` }] })
  })

  test('every setting can be set by a variable of its own', () => {
    expect(new Set(settingNames.map(variableOf)).size).toBe(settingNames.length)
    expect(variableOf('limits.realtime_inflight.enforce')).toBe('SLUICE_LIMITS_REALTIME_INFLIGHT_ENFORCE')
  })
})

describe('values', () => {
  test('the words of the documentation are taken: lists of values, addresses, keys', () => {
    const { settings } = loaded({
      environment: {
        SLUICE_LOG_LEVEL: 'DEBUG',
        SLUICE_SERVER_PUBLIC_URL: 'https://ai.example.org/',
        SLUICE_SERVER_HOST: '[::1]',
        SLUICE_AUTH_ADMIN_EMAIL: 'Admin@Example.org',
        SLUICE_GATEWAY_IDLE_SECONDS: '0.5',
        SLUICE_METRICS_REQUIRE_KEY: 'True',
        SLUICE_SECURITY_SECRET_KEY: Buffer.from(goodKey, 'base64').toString('hex'),
        SLUICE_DATABASE_URL: 'postgres://u:p@h/db',
      },
    })
    expect(settings['log.level']).toBe('debug')
    expect(settings['server.public_url']).toBe('https://ai.example.org')
    expect(settings['server.host']).toBe('::1')
    expect(settings['auth.admin_email']).toBe('admin@example.org')
    expect(settings['gateway.idle_seconds']).toBe(0.5)
    expect(settings['metrics.require_key']).toBe(true)
    expect(settings['security.secret_key']).toBeInstanceOf(Secret)
    expect(settings['security.secret_key']?.reveal()).toBe(goodKey)
    expect(settings['database.url']?.reveal()).toBe('postgres://u:p@h/db')
  })

  test.each([
    exampleSecretKey,
    exampleSecretKey.toUpperCase(),
    Buffer.from(exampleSecretKey, 'hex').toString('base64'),
    Buffer.from(exampleSecretKey, 'hex').toString('base64url'),
  ])('the key of the documentation is refused in every spelling (%#)', (key) => {
    const [problem] = problemsOf({ environment: { SLUICE_SECURITY_SECRET_KEY: key } })
    expect(problem?.expected).toContain('documentation')
  })
})

describe('the issuer of OpenID Connect', () => {
  const issuer = (text: string) => ({ yaml: `auth: {oidc: {issuer: "${text}", client_id: sluice}}` })

  test('is taken without a trailing slash, also from the address of its discovery document', () => {
    for (const text of ['https://id.example.org/a', 'https://id.example.org/a/', 'https://ID.example.org:443/a'])
      expect(loaded(issuer(text)).settings['auth.oidc.issuer']).toBe('https://id.example.org/a')
    const document = 'https://id.example.org/a/.well-known/openid-configuration'
    expect(loaded(issuer(document)).settings['auth.oidc.issuer']).toBe('https://id.example.org/a')
  })

  test('may be without TLS on this machine only', () => {
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:9'])
      expect(loaded(issuer(`http://${host}`)).settings['auth.oidc.issuer']).toBe(`http://${host}`)
    for (const host of ['id.example.org', '127.0.0.1.example.org', 'localhost.example.org'])
      expect(namesOf(problemsOf(issuer(`http://${host}`)))).toEqual(['auth.oidc.issuer'])
  })

  test('needs a client id', () => {
    const [problem, ...others] = problemsOf({ yaml: 'auth: {oidc: {issuer: "https://id.example.org"}}' })
    expect([problem?.name, others]).toEqual(['auth.oidc.client_id', []])
    expect(problem?.expected).toContain('auth.oidc.issuer')
  })
})

describe('readers on other servers', () => {
  const reader = {
    name: 'layout',
    kind: 'docling',
    url: 'http://docling:5001/',
    types: ['pdf', 'image/*', 'image/heic'],
  }
  const readers = (...list: readonly object[]) => ({ environment: { SLUICE_DOCUMENTS_READERS: JSON.stringify(list) } })

  test('are taken from JSON and from a list in the file, and print as a secret', () => {
    const yaml =
      'documents: {readers: [{name: layout, kind: tika, url: "http://tika:9998", types: [pdf], credential: key}]}'
    for (const given of [readers(reader), { yaml }]) {
      const value = loaded(given).settings['documents.readers']
      expect(externalReaders(value?.reveal() ?? '')).toMatchObject([
        { name: 'layout', types: expect.any(Array), seconds: 300 },
      ])
      expect(String(value)).toBe('[secret]')
    }
  })

  test.each<[string, readonly object[]]>([
    ['two of one name', [reader, reader]],
    ['the name of a built-in reader', [{ ...reader, name: 'pdf' }]],
    ['a kind that there is not', [{ ...reader, kind: 'pandoc' }]],
    ['a type that there is not', [{ ...reader, types: ['pdv'] }]],
    ['the type auto', [{ ...reader, types: ['auto'] }]],
    ['an address that is none', [{ ...reader, url: 'docling:5001' }]],
    ['a field that would end a header', [{ ...reader, fields: { a: 'b\r\nc: d' } }]],
    ['a field that there is not', [{ ...reader, kinds: [] }]],
    ['none', []],
  ])('%s is refused', (_what, list) => {
    const [problem] = problemsOf(readers(...list))
    expect(problem?.name).toBe('documents.readers')
    expect(problem?.expected).toContain('docling, tika or unstructured')
  })
})

describe('the place of imported files', () => {
  test('can be the database if that is PostgreSQL', () => {
    const inDatabase = (url: string) => ({
      yaml: `documents: {blobs: database}\n${url === '' ? '' : `database: {url: "${url}"}`}`,
    })
    for (const url of ['postgres://u:p@h/db', 'postgresql://u:p@h/db'])
      expect(loaded(inDatabase(url)).settings['documents.blobs']).toBe('database')
    for (const url of ['', 'sqlite:a.db']) expect(namesOf(problemsOf(inDatabase(url)))).toEqual(['documents.blobs'])
  })
})

describe('problems', () => {
  test('all problems of all sources are reported at once, each with name, source, value and remedy', () => {
    const problems = problemsOf({
      yaml: `
server: {port: 70000, prot: 1}
log: {level: loud}
gateway: {rewrite_model: 1, idle_seconds: [3]}
providers: [{name: a b}]
users: [{email: x}]
`,
      environment: { SLUICE_SERVER_PORT: 'x', SLUICE_SERVER_HOTS: '1', SLUICE_USAGE_QUEUE_MAX: '1.5' },
      overrides: ['server.port=-1', 'nonsense', 'log.format='],
    })
    expect(namesOf(problems).toSorted()).toEqual(
      [
        'server.port',
        'server.prot',
        'log.level',
        'gateway.rewrite_model',
        'gateway.idle_seconds',
        'providers[0].name',
        'users[0].email',
        'server.port',
        'SLUICE_SERVER_HOTS',
        'usage.queue_max',
        'server.port',
        'nonsense',
        'log.format',
      ].toSorted(),
    )
    for (const problem of problems) {
      expect(problem.source).not.toBe('')
      expect(problem.expected).not.toBe('')
      expect(problem.remedy).not.toBe('')
    }
    const port = problems.filter(({ name }) => name === 'server.port')
    expect(port.map(({ value }) => value)).toEqual(['70000', '"x"', '"-1"'])
    expect(port.map(({ source }) => source.replace(/^.*\//, ''))).toEqual([
      'sluice.yaml: server.port',
      'SLUICE_SERVER_PORT',
      '--set',
    ])
  })

  test('a wrong value is reported even where a stronger source covers it', () => {
    expect(namesOf(problemsOf({ yaml: 'server: {port: x}', overrides: ['server.port=1'] }))).toEqual(['server.port'])
  })

  test.each([
    [{ yaml: 'server: {prot: 1}' }, 'server.port'],
    [{ yaml: 'sever: {port: 1}' }, 'server'],
    [{ yaml: 'provider: []' }, 'providers'],
    [{ environment: { SLUICE_SERVER_PROT: '1' } }, 'SLUICE_SERVER_PORT'],
    [{ overrides: ['gateway.idel_seconds=1'] }, 'gateway.idle_seconds'],
  ])('an unknown name is refused with the nearest known one (%#)', (given, nearest) => {
    expect(problemsOf(given).map(({ remedy }) => remedy)).toEqual([`Did you mean ${nearest}?`])
  })

  test('names of the language itself are unknown names like any other', () => {
    const yaml = '__proto__: {x: 1}\nconstructor: 2\ntoString: 3\nserver: {__proto__: 1}'
    const overrides = ['__proto__=1', 'hasOwnProperty=1']
    expect(problemsOf({ yaml, overrides })).toHaveLength(6)
  })

  test('a value in the place of a group, and a group in the place of a value, are refused', () => {
    expect(namesOf(problemsOf({ yaml: 'server: 5\nlog: {level: {a: 1}}' }))).toEqual(['server', 'log.level'])
  })

  test('variables that Kubernetes makes for a service of this name are not settings', () => {
    const environment = {
      SLUICE_SERVICE_HOST: '10.0.0.1',
      SLUICE_SERVICE_PORT_HTTP: '3001',
      SLUICE_PORT: 'tcp://10.0.0.1:3001',
      SLUICE_PORT_3001_TCP_ADDR: '10.0.0.1',
    }
    expect(load({ environment }).kind).toBe('ok')
  })

  test('a variable that the file refers to is not an unknown setting', () => {
    const environment = { SLUICE_MY_HOST: 'box' }
    expect(loaded({ yaml: 'server: {host: "${SLUICE_MY_HOST}"}', environment }).settings['server.host']).toBe('box')
    expect(namesOf(problemsOf({ environment }))).toEqual(['SLUICE_MY_HOST'])
  })

  test.each([
    ['server:\n  port: 1\n bad', 'line 2'],
    ['{a: 1', 'line 0'],
    ['a: "x', 'line 0'],
  ])('a file that is not YAML is refused with the place (%#)', (yaml, place) => {
    const [problem, ...others] = problemsOf({ yaml })
    expect(others).toEqual([])
    expect(problem?.expected).toContain('not valid YAML')
    expect(problem?.remedy).toContain(place)
  })

  test.each(['- 1', 'text', 'a: 1\n---\nb: 2', 'a: &x [*x]', `a: ${'['.repeat(40)}${']'.repeat(40)}`])(
    'a file that is not one plain mapping is refused (%#)',
    (yaml) => {
      expect(problemsOf({ yaml })).toHaveLength(1)
    },
  )

  test('aliases that blow a small file up are refused, not followed', () => {
    const levels = Array.from({ length: 20 }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}]`)
    const [problem] = problemsOf({ yaml: ['l0: &l0 [x]', ...levels].join('\n') })
    expect(problem?.expected).toContain('nested too deeply')
  })

  test('a section that stands twice is refused, because the parser would drop the first', () => {
    const yaml = 'server:\n  port: 1\nlog:\n  level: info\nserver:\n  host: ::1\n'
    expect(namesOf(problemsOf({ yaml }))).toEqual(['server'])
  })
})

describe('secrets', () => {
  test('no problem shows a secret, wherever it was written', () => {
    const problems = problemsOf({
      yaml: `
security: {secret_key: ${canary}, secretkey: ${canary}}
database: {url: "mysql://u:${canary}@h/db"}
server: {public_url: "https://u:${canary}@h", host: "\${HIDDEN} x"}
providers:
  - {name: p, credential: "${canary}\\n", headers: {a: "${canary}\\n"}, base_url: "http://u:${canary}@h", key: ${canary}}
  - {name: q, credential: {x: ${canary}}, models: [{name: m, timeouts: "\${HIDDEN}"}]}
users: [{email: a@b, password: [${canary}]}, {email: a@c, role: x, password: "\${${canary}}"}]
`,
      environment: {
        HIDDEN: canary,
        SLUICE_SECURITY_SECRET_KEY: canary,
        SLUICE_DATABASE_URL: `mysql://${canary}`,
        SLUICE_SECRET_KEY: canary,
      },
      overrides: [`security.secret_key=${canary}`, `security.key=${canary}`, `database.url=x:${canary}`],
    })
    expect(problems.length).toBeGreaterThanOrEqual(18)
    expect(JSON.stringify(problems)).not.toContain(canary)
    expect(problems.map(problemText).join('\n')).not.toContain(canary)
  })

  test('a whole loaded configuration prints without its secrets', () => {
    const result = loaded({
      yaml: `
security: {secret_key: ${goodKey}}
database: {url: "postgres://u:${canary}@h/db"}
providers: [{name: p, credential: ${canary}, headers: {authorization: ${canary}}}]
users: [{email: a@b, password: ${canary}}]
`,
    })
    for (const printed of [JSON.stringify(result), Bun.inspect(result, { depth: 9 })]) {
      expect(printed).not.toContain(canary)
      expect(printed).not.toContain(goodKey)
    }
    expect(result.declared.providers[0]?.credential?.reveal()).toBe(canary)
  })

  test('a bare secret is not taken from the command line, where others can read it', () => {
    const [problem] = problemsOf({ overrides: [`security.secret_key=${goodKey}`] })
    expect(problem).toMatchObject({ name: 'security.secret_key', source: '--set', value: null })
  })
})
