/** The benchmark's command line: `npm run bench -- --help`. The method is in bench/README.md. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureChunking } from './chunking.ts'
import { measureConsole } from './console.ts'
import { measureDocuments } from './documents.ts'
import { measureEmbeddings } from './embeddings.ts'
import { measureFailover } from './failover.ts'
import { measureGeneration } from './generation.ts'
import { measureJson } from './json.ts'
import { root, Workshop } from './processes.ts'
import { measureSse } from './sse.ts'
import { measureStart } from './start.ts'
import { measureStreams } from './streams.ts'
import { markdown, type Table } from './table.ts'
import { installPortkey, startFleet, targetNames, type Fleet, type TargetName } from './targets.ts'
import { measureTtft } from './ttft.ts'

const usage = `Usage: npm run bench -- [options]
  --only json,sse,ttft,streams,start,generation,failover,embeddings,chunking,documents,console   the questions to answer (all)
  --targets direct,nginx,bare,sluice   what to measure (these, and portkey when installed)
  --portkey                            install Portkey's gateway from npm, and measure it too
  --rate N                             new streams per second of the ttft question (200)
  --short                              a few minutes instead of half an hour: for a look, not for a claim`

const { values: flags } = parseArgs({
  options: {
    only: {
      type: 'string',
      default: 'json,sse,ttft,streams,start,generation,failover,embeddings,chunking,documents,console',
    },
    targets: { type: 'string' },
    rate: { type: 'string', default: '200' },
    portkey: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** Each question gets processes of its own, so that none inherits another's memory. */
const questions: Record<string, (fleet: Fleet, folder: string) => Promise<Table>> = {
  json: ({ targets }, folder) =>
    measureJson(targets, flags.short ? { rounds: 3, seconds: 2 } : { rounds: 7, seconds: 5 }, { folder }),
  sse: ({ targets }) => measureSse(targets, flags.short ? { rounds: 2, seconds: 4 } : { rounds: 5, seconds: 10 }),
  ttft: ({ targets }) =>
    measureTtft(targets, flags.short ? { rounds: 1, seconds: 10 } : { rounds: 3, seconds: 20 }, Number(flags.rate)),
  streams: ({ targets, upstreamPort }) => measureStreams(targets, flags.short ? 30 : 300, upstreamPort),
}

/** Those about the gateway alone, which have gateways and upstreams of their own. */
const ownQuestions: Record<string, (workshop: Workshop) => Promise<Table>> = {
  failover: (workshop) =>
    measureFailover(workshop, flags.short ? { rounds: 3, seconds: 2 } : { rounds: 7, seconds: 5 }),
  embeddings: (workshop) =>
    measureEmbeddings(workshop, flags.short ? { rounds: 2, seconds: 2 } : { rounds: 5, seconds: 5 }),
  documents: (workshop) =>
    measureDocuments(
      workshop,
      flags.short
        ? { smallFiles: 1000, pdfPages: 1000, mixedMiB: 60 }
        : { smallFiles: 5000, pdfPages: 8000, mixedMiB: 1024 },
    ),
}

function chosenTargets(): readonly TargetName[] {
  const portkeyIsThere = existsSync(join(root, 'bench/portkey/node_modules'))
  const usual = targetNames.filter((name) => name !== 'portkey' || portkeyIsThere)
  if (flags.targets === undefined) return usual
  const chosen = flags.targets.split(',')
  const unknown = chosen.filter((name) => !(targetNames as readonly string[]).includes(name))
  if (unknown.length > 0) throw new Error(`unknown target: ${unknown.join(', ')}\n${usage}`)
  return targetNames.filter((name) => chosen.includes(name))
}

/** The streams question is about the gateway's memory: others only when asked for by name. */
function targetsFor(question: string): readonly TargetName[] {
  const chosen = chosenTargets()
  if (question !== 'streams') return chosen
  return flags.targets === undefined ? chosen.filter((name) => name === 'sluice') : chosen
}

async function answerQuestion(question: string): Promise<Table> {
  if (question === 'start') return await measureStart()
  if (question === 'generation') return await measureGeneration()
  if (question === 'chunking') return await measureChunking()
  if (question === 'console')
    return await measureConsole(flags.short ? { loads: 3, rows: 10_000 } : { loads: 9, rows: 10_000 })
  const [measure, measureAlone] = [questions[question], ownQuestions[question]]
  await using workshop = new Workshop()
  if (measureAlone !== undefined) return await measureAlone(workshop)
  if (measure === undefined) throw new Error(`unknown question: ${question}\n${usage}`)
  const fleet = await startFleet(workshop, targetsFor(question))
  return await measure(fleet, workshop.folder)
}

async function main(): Promise<void> {
  if (flags.help) return console.log(usage)
  if (flags.portkey) await installPortkey()
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, Linux ${release()}, Bun ${Bun.version}`
  console.log(`Generator, server and upstream share this machine: ${machine}.\n`)
  const tables: Table[] = []
  for (const question of flags.only.split(',')) {
    const table = await answerQuestion(question)
    tables.push(table)
    console.log(markdown(table))
  }
  const results = join(root, 'bench/results')
  mkdirSync(results, { recursive: true })
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  const settings = { machine, options: flags }
  writeFileSync(join(results, `${stamp}.json`), JSON.stringify({ ...settings, tables }, null, 2))
  writeFileSync(join(results, `${stamp}.md`), `${machine}\n\n${tables.map(markdown).join('\n')}`)
}

await main()
