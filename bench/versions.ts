/**
 * Which of several versions of Sluice costs less? Each is a checkout, and all take turns beside the ten-line proxy:
 * `bun bench/versions.ts [--sse] [--rounds=5] [--seconds=2] [name=folder …]`; this checkout is always one of them.
 * What counts is the ratio to the proxy in the same round, since the machine changes from minute to minute.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createKey, startFrom, writeConfiguration } from './gateway.ts'
import { measureJson } from './json.ts'
import { root, Workshop } from './processes.ts'
import { requestBody, type ProfileName } from './profiles.ts'
import { measureSse } from './sse.ts'
import { markdown } from './table.ts'
import { startFleet, type Target } from './targets.ts'

const { values, positionals } = parseArgs({
  options: {
    sse: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    nginx: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const plan = { rounds: Number(values.rounds), seconds: Number(values.seconds) }

await using workshop = new Workshop()
const {
  targets: [...targets],
  upstreamPort,
} = await startFleet(workshop, values.nginx ? ['nginx', 'bare'] : ['bare'])
for (const version of ['this=' + root, ...positionals]) {
  const [name = '', folder = ''] = version.split('=')
  targets.push(await startVersion(name, folder))
}
const table = values.sse
  ? await measureSse(targets, plan, 'bare')
  : await measureJson(targets, plan, { folder: workshop.folder, reference: 'bare' })
console.log(markdown(table))

async function startVersion(name: string, folder: string): Promise<Target> {
  const file = writeConfiguration(workshop, upstreamPort, { name })
  const { child, port } = await startFrom(workshop, file, { program: join(folder, 'bin/sluice') })
  const headers = { authorization: `Bearer ${await createKey(file)}` }
  const path = '/ai/v1/chat/completions'
  const destination = (profile: ProfileName) => ({ port, path, headers, body: requestBody(profile) })
  return { name, pid: child.pid, destination }
}
