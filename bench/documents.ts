/**
 * How fast do documents become searchable, and what does it cost the server? One process with the default
 * settings, an embedding model that takes 50 ms a call, and files of four kinds.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { columnPdf } from './document-files.ts'
import { startConfigured, writeConfigurationOf, type RunningGateway } from './gateway.ts'
import { cpuMicroseconds, ownResidentMib } from './measure.ts'
import { root, type Workshop } from './processes.ts'
import { figure, type Table } from './table.ts'

export interface DocumentPlan {
  readonly smallFiles: number
  readonly pdfPages: number
  /** Size of the mixed files in the memory measurement. */
  readonly mixedMiB: number
}

const corpus = join(root, '../shared/corpus')
const filesPerRequest = 20
const requestsTogether = 4
const filesInOneRequest = 10_000

interface SourceFile {
  readonly name: string
  readonly bytes: Uint8Array
}

interface Imported {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly states: Readonly<Record<string, number>>
  readonly peakMib: number
  readonly growthMib: number
}

export async function measureDocuments(workshop: Workshop, plan: DocumentPlan): Promise<Table> {
  const upstream = await workshop.startServer('embedding-upstream.ts', '64', '50')
  const start = (name: string): Promise<RunningGateway> =>
    startConfigured(
      workshop,
      writeConfigurationOf(workshop, name, {
        providers: [
          {
            name: 'embedder',
            base_url: `http://127.0.0.1:${upstream.port}/v1`,
            models: [{ name: 'bench-embed', groups: ['everyone'] }],
          },
        ],
      }),
    )
  const rows: (string | number)[][] = []
  const rounds: Record<string, Imported> = {}
  const add = (what: string, imported: Imported, unit: string, count: number): void => {
    rounds[what] = imported
    const { seconds, cpuSeconds, peakMib, growthMib } = imported
    const each = (cpuSeconds / count) * 1000
    rows.push([what, `${figure(count / seconds)} ${unit}/s`, figure(each, 2), figure(peakMib, 0), figure(growthMib, 0)])
  }

  const small = await start('small')
  // The reading processes and the tokenizer are loaded once, by the first import.
  await importAll(small, [{ name: 'warm.txt', bytes: Buffer.from('warm') }])
  add('small text files', await importAll(small, smallFiles(plan.smallFiles)), 'files', plan.smallFiles)
  const many = await start('many')
  await answered(many, 1)
  const seconds = await answered(many, filesInOneRequest)
  const what = `${filesInOneRequest} small files in one request, until it is answered`
  rows.push([what, `${figure(seconds, 1)} s`, '', '', ''])
  const pdf = await start('pdf')
  await importAll(pdf, [{ name: 'warm.pdf', bytes: columnPdf(1, 0) }])
  const pagesEach = Math.ceil(plan.pdfPages / 4)
  const pdfFiles = [1, 2, 3, 4].map((seed) => ({ name: `${seed}.pdf`, bytes: columnPdf(pagesEach, seed) }))
  add('PDF of 3,700 characters a page', await importAll(pdf, pdfFiles), 'pages', pagesEach * 4)
  const docx = join(corpus, 'office/handbook-872p.docx')
  const real = realFiles()
  if (real.length > 0) {
    const book = await importAll(pdf, [{ name: 'handbook.docx', bytes: readFileSync(docx) }])
    add('DOCX of 872 pages', book, 'pages', 872)
  }
  const mixed = await start('mixed')
  const files = mixedFiles(plan.mixedMiB, [...real, ...pdfFiles])
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1_048_576
  add(`${figure(total, 0)} MiB of mixed files`, await importAll(mixed, files), 'MiB', total)
  return {
    title: 'Importing documents',
    method:
      `From the first request to the last state, ${requestsTogether} requests of up to ${filesPerRequest} files at a time; the embedding model takes 50 ms a call. ` +
      'CPU is of the server with its reading processes; memory is of the server alone.',
    columns: ['what', 'speed', 'CPU ms each', 'server peak MiB', 'growth MiB'],
    rows,
    rounds,
  }
}

/** Seconds until a request with so many small files is answered. */
async function answered({ port, key }: RunningGateway, count: number): Promise<number> {
  const files = Array.from({ length: count }, (_, index) => ({
    name: `${index}.txt`,
    category: 'many',
    path: '',
    bytes: Buffer.from(`File ${index} of ${count}.`).toString('base64'),
  }))
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const startedAt = performance.now()
  const body = JSON.stringify({ files })
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/documents`, { method: 'POST', headers, body })
  if (response.status !== 202) throw new Error(`the import was answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
  return (performance.now() - startedAt) / 1000
}

async function importAll(gateway: RunningGateway, files: readonly SourceFile[]): Promise<Imported> {
  const cpuBefore = cpuMicroseconds(gateway.pid)
  const before = ownResidentMib(gateway.pid)
  let peakMib = before
  const sampling = setInterval(() => (peakMib = Math.max(peakMib, ownResidentMib(gateway.pid))), 50)
  const startedAt = performance.now()
  const queue = batchesOf(files).entries()
  const send = async (): Promise<void> => {
    for (const [index, batch] of queue) await post(gateway, batch, `${crypto.randomUUID()}-${index}`)
  }
  await Promise.all(Array.from({ length: requestsTogether }, send))
  const states = await untilEnded(gateway)
  clearInterval(sampling)
  return {
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: (cpuMicroseconds(gateway.pid) - cpuBefore) / 1_000_000,
    states,
    peakMib,
    growthMib: peakMib - before,
  }
}

/** Batches of bounded count and size. */
function batchesOf(files: readonly SourceFile[]): readonly (readonly SourceFile[])[] {
  const batches: SourceFile[][] = []
  let bytes = Infinity
  for (const file of files) {
    const last = batches.at(-1)
    if (last === undefined || last.length >= filesPerRequest || bytes + file.bytes.length > 20_000_000) {
      batches.push([file])
      bytes = file.bytes.length
    } else {
      last.push(file)
      bytes += file.bytes.length
    }
  }
  return batches
}

/** The same file in another category is not a duplicate. */
async function post({ port, key }: RunningGateway, files: readonly SourceFile[], category: string): Promise<void> {
  const form = new FormData()
  form.append('category', category)
  form.append('embedder', 'bench-embed')
  for (const { name, bytes } of files) form.append('files', new Blob([new Uint8Array(bytes)]), name)
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/documents`, { method: 'POST', headers, body: form })
  if (response.status !== 202 && response.status !== 207)
    throw new Error(`the import was answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

async function untilEnded({ port }: RunningGateway): Promise<Readonly<Record<string, number>>> {
  for (;;) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const states = Object.fromEntries(
      [...text.matchAll(/^sluice_documents\{state="(\w+)"\} (\d+)/gm)].map(([, state, count]) => [
        state,
        Number(count),
      ]),
    ) as Record<string, number>
    const ended = ['completed', 'failed', 'cancelled']
    if (Object.entries(states).every(([state, count]) => count === 0 || ended.includes(state))) return states
    await Bun.sleep(20)
  }
}

function smallFiles(count: number): readonly SourceFile[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `note-${index}.txt`,
    bytes: Buffer.from(
      `Note ${index} of ${crypto.randomUUID()}.\n\n${'A few sentences about the matter at hand. '.repeat(20)}`,
    ),
  }))
}

function realFiles(): readonly SourceFile[] {
  try {
    return readdirSync(corpus, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => ({ name: entry.name, bytes: readFileSync(join(entry.parentPath, entry.name)) }))
  } catch {
    return []
  }
}

/** The files again and again. */
function mixedFiles(mib: number, sources: readonly SourceFile[]): readonly SourceFile[] {
  const files: SourceFile[] = []
  let left = mib * 1_048_576
  for (let at = 0; left > 0; at += 1) {
    const source = sources[at % sources.length]
    if (source === undefined) break
    left -= source.bytes.length
    files.push(source)
  }
  return files
}
