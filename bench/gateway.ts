/** Sluice as the benchmark runs it: in-flight limit enforced, keys checked, usage recorded. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { freePort, outputOf, root, untilAnswers, type Workshop } from './processes.ts'
import { modelOf, profileNames } from './profiles.ts'

export interface RunningGateway {
  readonly child: Subprocess
  readonly pid: number
  readonly port: number
  /** An API key of an ordinary user with access to every model of the benchmark. */
  readonly key: string
}

const user = 'bench@localhost'

/** Starts a gateway with an empty store, and makes its user's key. */
export async function startGateway(workshop: Workshop, upstreamPort: number): Promise<RunningGateway> {
  return startConfigured(workshop, writeConfiguration(workshop, upstreamPort))
}

/** The same from any configuration file that has the benchmark's user. */
export async function startConfigured(workshop: Workshop, file: string): Promise<RunningGateway> {
  const { child, port } = await startFrom(workshop, file)
  return { child, pid: child.pid, port, key: await createKey(file) }
}

/** Starts a gateway from a configuration file and waits until it is ready. */
export async function startFrom(
  workshop: Workshop,
  file: string,
  { pollMs = 20, program = join(root, 'bin/sluice') } = {},
): Promise<{ readonly child: Subprocess; readonly port: number }> {
  const port = freePort()
  const command = [program, 'start', '--config', file, '--set', `server.port=${port}`]
  const child = workshop.start('sluice', command)
  await untilAnswers(`http://127.0.0.1:${port}/readyz`, child, pollMs)
  return { child, port }
}

/** One provider and one model for each profile; YAML is written as JSON, which is a part of it. */
export function writeConfiguration(
  workshop: Workshop,
  upstreamPort: number,
  { name = 'sluice', ...entries }: { readonly name?: string } & Readonly<Record<string, unknown>> = {},
): string {
  const providers = profileNames.map((profile) => ({
    name: modelOf(profile),
    kind: 'openai',
    base_url: `http://127.0.0.1:${upstreamPort}/${profile}/v1`,
    credential: 'bench-upstream-credential',
    models: [{ name: modelOf(profile), groups: ['everyone'] }],
  }))
  return writeConfigurationOf(workshop, name, { providers, ...entries })
}

/** A configuration file with these entries besides what every gateway of the benchmark has. */
export function writeConfigurationOf(workshop: Workshop, name: string, entries: object): string {
  const folder = join(workshop.folder, name)
  const configuration = {
    data_dir: join(folder, 'data'),
    discovery: { enabled: false },
    limits: { realtime_inflight: { enforce: true, default: 100_000 } },
    users: [{ email: user, name: 'Bench', role: 'user' }],
    ...entries,
  }
  if (!existsSync(folder)) mkdirSync(folder)
  const file = join(folder, 'sluice.yaml')
  writeFileSync(file, JSON.stringify(configuration, null, 2))
  return file
}

/** An API key of the benchmark's user, by the configuration file that declares the user. */
export async function createKey(file: string): Promise<string> {
  const command = [join(root, 'bin/sluice'), 'keys', 'create', 'bench', '--user', user, '--json']
  const printed = await outputOf([...command, '--config', file])
  const { secret } = JSON.parse(printed) as { readonly secret?: string }
  if (secret === undefined) throw new Error('sluice keys create printed no key')
  return secret
}
