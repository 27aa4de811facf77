/** What the files for containers, service managers and Kubernetes say, against the program that they start. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { loadConfig } from '#config/load.ts'
import { compose } from '#test/support/deploy/compose.ts'
import { Installation } from '../cli/sluice.ts'

const root = join(import.meta.dir, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const files = ['Dockerfile', 'compose.yaml', 'deploy/systemd/sluice.service']
const charts = readdirSync(join(root, 'deploy/helm/templates')).map((name) => `deploy/helm/templates/${name}`)

describe('the files of a deployment', () => {
  test.each([...files, ...charts])('%s names only settings that exist', (path) => {
    const names = new Set(read(path).match(/\bSLUICE_[A-Z0-9_]+(?=\s*[=:,])/g))
    names.delete('SLUICE_SECRET_KEY') // A variable of compose itself.
    const known = (name: string): boolean => {
      const { problems = [] } = loadConfig({ environment: { [name]: '' } }) as {
        readonly problems?: readonly { readonly expected: string }[]
      }
      return !problems.some(({ expected }) => expected.includes('no such setting'))
    }
    expect([...names].filter((name) => !known(name))).toEqual([])
  })
})

describe('compose.yaml', () => {
  const services = Object.entries(compose.services)

  test('starts one process with SQLite when no profile is named', () => {
    const plain = services.filter(([, { profiles }]) => profiles === undefined)
    expect(plain.map(([name]) => name)).toEqual(['sluice'])
    expect(plain[0]?.[1].environment).toBeUndefined()
  })

  test('gives nginx exactly the processes of the cluster', () => {
    const members = services.map(([name]) => name).filter((name) => /^sluice-\d$/.test(name))
    expect(compose.services['nginx']?.depends_on).toEqual(members)
    const upstreams = [...read('deploy/nginx/sluice.conf').matchAll(/server (\S+):3001/g)].map(([, name]) => name)
    expect(upstreams).toEqual(members)
  })

  test('mounts only volumes and files that exist, and runs every Sluice on a read-only file system', () => {
    for (const [name, { volumes = [], read_only: isReadOnly }] of services) {
      for (const volume of volumes) {
        const [from = ''] = volume.split(':')
        const exists = from.startsWith('./') ? existsSync(join(root, from)) : from in compose.volumes
        expect([name, volume, exists]).toEqual([name, volume, true])
      }
      if (name.startsWith('sluice')) expect([name, isReadOnly]).toEqual([name, true])
    }
  })
})

describe('the image', () => {
  test('is made of what the build needs: each path of the Dockerfile is let through by .dockerignore', () => {
    const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path)
    expect(allowed).toEqual(['package.json', 'package-lock.json', 'tsconfig.json', 'scripts', 'src', 'ui'])
    for (const path of allowed) expect(existsSync(join(root, path ?? ''))).toBe(true)
  })

  test('asks for its health with a command that tells a running server from none', async () => {
    const [, command = '[]'] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? []
    const [, ...args] = JSON.parse(command) as string[]
    await using sluice = new Installation()
    expect((await sluice.run(args)).code).toBe(1)
    const server = await sluice.start()
    expect((await sluice.run(args)).code).toBe(0)
    expect((await sluice.run([...args, '--ready'])).code).toBe(0)
    await server.stop()
    expect((await sluice.run(args)).code).toBe(1)
  })
})

const noAnalyze = Bun.which('systemd-analyze') === null ? ' (skipped: systemd-analyze is not installed)' : ''

describe('the unit of systemd', () => {
  test.skipIf(noAnalyze !== '')(`leaves the service few rights, and is understood${noAnalyze}`, async () => {
    const unit = join(root, 'deploy/systemd/sluice.service')
    // In tenths of the ten points that systemd gives to what is not confined at all.
    const command = ['systemd-analyze', 'security', '--offline=true', '--threshold=20', unit]
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect([await child.exited, stderr]).toEqual([0, ''])
    expect(stdout).toContain('Overall exposure level')
  })
})

describe('the chart', () => {
  const schema = JSON.parse(read('deploy/helm/values.schema.json')) as object
  const values = Bun.YAML.parse(read('deploy/helm/values.yaml')) as Record<string, unknown>
  const validate = new Ajv({ strict: false, validateSchema: false }).compile(schema)

  test('has values that its schema allows, and refuses unknown ones', () => {
    expect([validate(values), validate.errors]).toEqual([true, null])
    for (const wrong of [
      { replica: 3 },
      { replicas: '3' },
      { database: { url: 'postgres://secret' } },
      { settings: { 'log.level': 'info' } },
    ])
      expect([wrong, validate({ ...values, ...wrong })]).toEqual([wrong, false])
  })

  test('uses every value, and no value that has no default', () => {
    const used = new Set(
      charts.flatMap((path) => [...read(path).matchAll(/\.Values\.(\w+)/g)].map(([, name = '']) => name)),
    )
    expect([...used].toSorted()).toEqual(Object.keys(values).toSorted())
  })
})
