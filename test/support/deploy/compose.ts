/**
 * Starts what compose.yaml says for a profile, as plain processes: each service with its command and its environment, when what it
 * depends on is there. Names of services become ports of this machine. In place of the image of PostgreSQL there is a database
 * that the test has.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { sluiceProgram } from '../../cli/sluice.ts'
import { startNginx } from '../network/documented-nginx.ts'
import { freePort } from '../network/free-port.ts'
import { until } from '../until.ts'

const root = join(import.meta.dir, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully'

export interface ComposeService {
  readonly image?: string
  readonly profiles?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: Condition }>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly read_only?: boolean
}

export const compose = Bun.YAML.parse(read('compose.yaml')) as {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** Valkey, or the program that it stems from; null when neither is installed. */
export const valkeyServer = Bun.which('valkey-server') ?? Bun.which('redis-server')

export interface ComposeOptions {
  /** What the caller exports before `docker compose up`. */
  readonly variables: Readonly<Record<string, string>>
  /** Stands for the database of the service `postgres`. */
  readonly databaseUrl: string
}

interface Started {
  readonly port: number
  readonly child: Subprocess | null
  /** The log of standard output. */
  readonly output: string
}

/** The services of the profile `cluster`, all of them up. */
export class ComposeCluster implements AsyncDisposable {
  readonly #options: ComposeOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-compose-'))
  readonly #opened = new AsyncDisposableStack()
  readonly #started = new Map<string, Promise<Started>>()

  constructor(options: ComposeOptions) {
    this.#options = options
  }

  /** Starts a service after those that it depends on; its port. */
  async up(name: string): Promise<number> {
    const begun = this.#started.get(name) ?? this.#start(name)
    this.#started.set(name, begun)
    return (await begun).port
  }

  /** All that a service printed. */
  async output(name: string): Promise<string> {
    return readFileSync((await this.#started.get(name))?.output ?? '', 'utf8')
  }

  /** The exit code of a service that has ended. */
  async exitCode(name: string): Promise<number | null> {
    return (await this.#started.get(name))?.child?.exitCode ?? null
  }

  /** Stops all of them as `docker compose down` does, the youngest first; the exit codes of Sluice. */
  async down(): Promise<readonly number[]> {
    const codes: number[] = []
    for (const [name, started] of [...this.#started].toReversed()) {
      const { child } = await started
      if (child === null) continue
      child.kill('SIGTERM')
      const code = await child.exited
      if (name.startsWith('sluice')) codes.push(code)
    }
    return codes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down()
    await this.#opened.disposeAsync()
    rmSync(this.#folder, { recursive: true })
  }

  async #start(name: string): Promise<Started> {
    const service = compose.services[name]
    if (service === undefined) throw new Error(`compose.yaml has no service ${name}`)
    const { depends_on: needs = [] } = service
    const conditions: Record<string, Condition> = Array.isArray(needs)
      ? Object.fromEntries((needs as readonly string[]).map((each) => [each, 'service_started' as const]))
      : Object.fromEntries(Object.entries(needs).map(([each, { condition }]) => [each, condition]))
    await Promise.all(Object.entries(conditions).map(([needed, condition]) => this.#holds(needed, condition)))
    const [program = ''] = (service.image ?? '').split('/').at(-1)?.split(':') ?? []
    if (program === 'postgres') return { port: 0, child: null, output: '' }
    if (program === 'nginx-unprivileged') return this.#startNginx(service, Object.keys(conditions))
    return this.#run(name, program === 'sluice' ? [sluiceProgram, ...(service.command ?? ['start'])] : [], service)
  }

  async #holds(name: string, condition: Condition): Promise<void> {
    await this.up(name)
    const { child, port } = (await this.#started.get(name))!
    const { healthcheck } = compose.services[name] ?? {}
    if (condition === 'service_completed_successfully' && (await child?.exited) !== 0)
      throw new Error(`${name} failed: ${await this.output(name)}`)
    if (condition !== 'service_healthy') return
    if (healthcheck === undefined) throw new Error(`${name} is waited for and has no health check`)
    if (child === null) return
    const [, program = '', ...args] = healthcheck.test
    const command = [Bun.which(program) ?? 'redis-cli', '-p', String(port), ...args]
    await until(async () => (await Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' }).exited) === 0)
  }

  async #startNginx({ volumes = [] }: ComposeService, members: readonly string[]): Promise<Started> {
    const [file = ''] = volumes.find((each) => each.endsWith('/default.conf:ro'))?.split(':') ?? []
    const ports = await Promise.all(members.map((each) => this.up(each)))
    // The names are those of Docker's network, which its own name server knows.
    const block = members.reduce(
      (text, name, index) => text.replace(`${name}:3001`, `127.0.0.1:${ports[index]}`),
      read(file)
        .replaceAll(/^resolver .*$/gm, '')
        .replaceAll(' resolve;', ';'),
    )
    const proxy = this.#opened.use(await startNginx(ports, block))
    return { port: proxy.port, child: null, output: '' }
  }

  async #run(name: string, sluice: readonly string[], service: ComposeService): Promise<Started> {
    const [port, data] = [await freePort(), join(this.#folder, name)]
    mkdirSync(data)
    const isSluice = sluice.length > 0
    const command = isSluice
      ? sluice
      : [String(valkeyServer), ...(service.command ?? []).slice(1), '--port', String(port), '--bind', '127.0.0.1']
    const output = join(this.#folder, `${name}.log`)
    const child = Bun.spawn([...command], {
      cwd: data,
      env: {
        PATH: process.env['PATH'],
        ...(await this.#environment(service)),
        // What the image sets, for this machine.
        ...(isSluice && { SLUICE_DATA_DIR: data, SLUICE_SERVER_PORT: String(port) }),
      },
      stdin: 'ignore',
      stdout: Bun.file(output),
      stderr: Bun.file(`${output}.errors`),
    })
    const started = { port, child, output }
    if (isSluice && service.command === undefined)
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`${name}: ${await Bun.file(`${output}.errors`).text()}`)
        const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
        return ready?.status === 200
      })
    return started
  }

  /** The environment of a service, with variables and names of hosts replaced. */
  async #environment({ environment = {} }: ComposeService): Promise<Record<string, string>> {
    const { variables, databaseUrl } = this.#options
    const entries = Object.entries(environment).map(async ([name, value]): Promise<[string, string]> => {
      const text = value.replaceAll(/\$\{(\w+):-\}/g, (_, variable: string) => variables[variable] ?? '')
      if (/@postgres:5432\//.test(text)) return [name, databaseUrl]
      const [, host] = /\/\/(\w+):6379$/.exec(text) ?? []
      return [name, host === undefined ? text : text.replace(`${host}:6379`, `127.0.0.1:${await this.up(host)}`)]
    })
    return Object.fromEntries(await Promise.all(entries))
  }
}
