/**
 * A real server that is killed again and again while it imports documents, and what it has made of them
 * in the end. The same plan gives the same documents and the same moments.
 */
import { Database } from 'bun:sqlite'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Installation, type RunningServer } from '#test/cli/sluice.ts'
import { directoryBlobs } from '#documents/blobs/directory-blobs.ts'
import type { ChunkOnWire, DocumentOnWire } from '#documents/records/document-record.ts'
import { docx } from './office-files.ts'
import { column, writePdf } from './pdf-writer.ts'

export interface CrashPlan {
  readonly documents: number
  /** How often it is killed. */
  readonly kills: number
  readonly seed: number
  /** Longest life of a server, from when it works on documents. */
  readonly lifeMsMax: number
  /** Told of each life that has ended. */
  readonly onKill?: (kill: number, documentsEnded: number) => void
}

/** What is left when everything has ended and the server has stopped. */
export interface CrashReport {
  /** By id: in which state the document ended, its code if it failed, and its chunks. */
  readonly documents: ReadonlyMap<string, { readonly end: string; readonly chunks: readonly ChunkOnWire[] }>
  /** One line for each thing that belongs to nothing. */
  readonly orphans: readonly string[]
  /** Processes that a killed server had started and that outlived it. */
  readonly survivors: readonly number[]
  /** From the start of the last server until nothing was unfinished. */
  readonly lastLifeMs: number
  readonly attemptsMax: number
}

interface Item {
  readonly doc_id?: string
  readonly name: string
  readonly category: string
  readonly bytes: string
}

const settings = {
  SLUICE_DOCUMENTS_LEASE_SECONDS: '1',
  // Being killed is no fault of a document here.
  SLUICE_DOCUMENTS_MAX_CRASHES: '1000',
  SLUICE_DOCUMENTS_CONCURRENCY: '6',
  SLUICE_LOG_LEVEL: 'error',
}
const batch = 8
const stuckMs = 90_000

/** Imports the documents of the plan, with or without the kills. */
export async function importWithCrashes(plan: CrashPlan): Promise<CrashReport> {
  await using installation = new Installation(settings)
  const random = randomOf(plan.seed)
  const batches = batchesOf(itemsOf(plan.documents))
  const started: number[] = []
  let key = ''
  const start = async (): Promise<RunningServer> => {
    const server = await installation.start(['--json'])
    key = server.started.first_start?.api_key ?? key
    return server
  }

  for (let kill = 0; kill < plan.kills; kill += 1) {
    const server = await start()
    const client = new Client(server.address, key)
    const lifeMs = random() * plan.lifeMsMax
    const sending = sendAll(client, batches).catch(() => undefined)
    // A busy machine begins late, and a server that has not begun loses nothing.
    await eventually(() => begunIn(installation.dataDirectory) > 0)
    await new Promise((resolve) => setTimeout(resolve, lifeMs))
    started.push(...descendantsOf(server.child.pid))
    await server.kill()
    await sending
    plan.onKill?.(kill + 1, endedIn(installation.dataDirectory))
  }

  const server = await start()
  const startedAt = performance.now()
  const client = new Client(server.address, key)
  await sendAll(client, batches)
  await allEnded(client, installation.dataDirectory)
  const lastLifeMs = performance.now() - startedAt
  // What was staged under lost leases is removed a little at a time, behind the work.
  await eventually(async () => stagedIn(installation.dataDirectory) === 0)
  const records = await client.all()
  const documents = new Map<string, { end: string; chunks: readonly ChunkOnWire[] }>()
  for (const { doc_id: id, category, state, error } of records) {
    if (category === 'abandoned') continue
    documents.set(id, { end: error === null ? state : `${state} ${error.code}`, chunks: await client.chunks(id) })
  }
  const reading = descendantsOf(server.child.pid)
  await server.stop()
  return {
    documents,
    orphans: await orphansIn(installation.dataDirectory, records),
    survivors: [...started, ...reading].filter(isAlive),
    lastLifeMs,
    attemptsMax: Math.max(...records.map(({ attempts }) => attempts)),
  }
}

class Client {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(address: string, key: string) {
    this.#url = `${address}/api/v1`
    this.#headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  }

  async import(files: readonly Item[]): Promise<void> {
    const response = await fetch(`${this.#url}/documents`, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({ files, chunk_units: 24 }),
    })
    const text = await response.text()
    if (response.status !== 202 && response.status !== 207) throw new Error(`${response.status} ${text}`)
    const { invalid } = JSON.parse(text) as { invalid: readonly object[] }
    if (invalid.length > 0) throw new Error(`invalid: ${JSON.stringify(invalid)}`)
  }

  async list(query: string): Promise<readonly DocumentOnWire[]> {
    return (await this.#page(query)).data
  }

  async all(): Promise<readonly DocumentOnWire[]> {
    const records: DocumentOnWire[] = []
    let cursor: string | null = null
    do {
      const page: DocumentPage = await this.#page(`limit=200${cursor === null ? '' : `&cursor=${cursor}`}`)
      records.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null)
    return records
  }

  async chunks(id: string): Promise<readonly ChunkOnWire[]> {
    const response = await fetch(`${this.#url}/document/${id}/chunks?limit=500`, { headers: this.#headers })
    return ((await response.json()) as { data: ChunkOnWire[] }).data
  }

  async #page(query: string): Promise<DocumentPage> {
    const response = await fetch(`${this.#url}/documents?${query}`, { headers: this.#headers })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return (await response.json()) as DocumentPage
  }
}

interface DocumentPage {
  readonly data: readonly DocumentOnWire[]
  readonly next_cursor: string | null
}

/** Resolves when nothing is unfinished; throws when nothing has changed for so long that something must be stuck. */
async function allEnded(client: Client, dataDirectory: string): Promise<void> {
  let ended = -1
  let changedAt = performance.now()
  for (;;) {
    const unfinished = await client.list('state=queued,reading,chunking,embedding,storing')
    if (unfinished.length === 0) return
    const now = endedIn(dataDirectory)
    if (now !== ended) changedAt = performance.now()
    ended = now
    if (performance.now() - changedAt > stuckMs) {
      const jobs = inDatabase(dataDirectory, (database) => database.query('select * from document_jobs').all())
      throw new Error(`stuck at ${Date.now()}: ${JSON.stringify({ unfinished, jobs })}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Sends what has not been answered, and before each batch something whose answer nobody waits for again. */
async function sendAll(client: Client, batches: Item[][]): Promise<void> {
  for (let next = batches[0]; next !== undefined; next = batches[0]) {
    const word = crypto.randomUUID()
    await client.import([{ name: `${word}.txt`, category: 'abandoned', bytes: `Abandoned ${word}.` }])
    // A request whose answer did not come is sent again: its ids make it the same request.
    await client.import(next)
    batches.shift()
  }
}

function batchesOf(items: readonly Item[]): Item[][] {
  const batches: Item[][] = []
  for (let at = 0; at < items.length; at += batch) batches.push(items.slice(at, at + batch))
  return batches
}

/** Files of several kinds, each of some chunks; every twelfth is damaged. */
function itemsOf(count: number): readonly Item[] {
  return Array.from({ length: count }, (_, at) => {
    const sentences = Array.from(
      { length: 12 + (at % 7) * 6 },
      (_each, line) => `Sentence ${line} of document ${at} is here to be cut, embedded and found again.`,
    )
    const [name, bytes] = fileOf(at, sentences)
    const doc_id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
    return { doc_id, name, category: 'planned', bytes: Buffer.from(bytes).toString('base64') }
  })
}

function fileOf(at: number, sentences: readonly string[]): readonly [string, string | Uint8Array] {
  if (at % 12 === 11) return [`${at}.pdf`, `%PDF-1.4 damaged ${at}`]
  switch (at % 5) {
    case 0:
      return [`${at}.txt`, sentences.join(' ')]
    case 1:
      return [`${at}.md`, `# Document ${at}\n\n${sentences.join('\n\n')}`]
    case 2:
      return [`${at}.pdf`, writePdf({ pages: [{ texts: column(sentences) }] })]
    case 3:
      return [`${at}.docx`, docx(sentences.map((each) => `<w:p><w:r><w:t>${each}</w:t></w:r></w:p>`).join(''))]
    default:
      return [`${at}.html`, `<h1>Document ${at}</h1>${sentences.map((each) => `<p>${each}</p>`).join('')}`]
  }
}

/** Numbers from 0 to 1, the same for the same seed (T. Ettinger's Mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Of this process and of those that it has started. */
function descendantsOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  if (!existsSync(file)) return []
  const children = readFileSync(file, 'latin1').split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

function isAlive(pid: number): boolean {
  try {
    // Ended, and not yet collected by whoever adopted it.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

function inDatabase<T>(dataDirectory: string, read: (database: Database) => T): T {
  using database = new Database(join(dataDirectory, 'sluice.db'), { readonly: true })
  return read(database)
}

function rowsOf(database: Database, what: string): number {
  return database.query<{ n: number }, []>(`select count(*) as n from ${what}`).get()?.n ?? 0
}

function endedIn(dataDirectory: string): number {
  return inDatabase(dataDirectory, (database) => rowsOf(database, "documents where state in ('completed', 'failed')"))
}

function begunIn(dataDirectory: string): number {
  return inDatabase(dataDirectory, (database) => rowsOf(database, 'documents where attempts > 0'))
}

function stagedIn(dataDirectory: string): number {
  return inDatabase(dataDirectory, (database) =>
    rowsOf(database, 'chunk_sets where row not in (select visible_set from documents where visible_set is not null)'),
  )
}

/** Rows, files and directories that belong to no document. */
async function orphansIn(dataDirectory: string, records: readonly DocumentOnWire[]): Promise<readonly string[]> {
  const orphans = inDatabase(dataDirectory, (database) => {
    const visible = '(select visible_set from documents where visible_set is not null)'
    const chunks = database.query<{ n: number }, []>('select sum(chunks) as n from chunk_sets').get()?.n ?? 0
    const found: Readonly<Record<string, number>> = {
      'chunk sets': rowsOf(database, `chunk_sets where row not in ${visible}`),
      chunks: rowsOf(database, `document_chunks where row >> 20 not in ${visible}`),
      vectors: rowsOf(database, `chunk_vectors where row >> 20 not in ${visible}`),
      codes: rowsOf(database, `chunk_codes where set_row not in ${visible}`),
      'indexed texts': rowsOf(database, `chunk_terms_docsize where id >> 20 not in ${visible}`),
      'packed words': rowsOf(database, `chunk_words where row >> 20 not in ${visible}`),
      jobs: rowsOf(database, 'document_jobs'),
      owners: rowsOf(database, 'document_owners where document_row not in (select row from documents)'),
      'chunks that are missing': chunks - rowsOf(database, 'document_chunks'),
      'vectors that are missing': chunks - rowsOf(database, 'chunk_vectors'),
      // Each set has a row more, for the words of its document's name.
      'indexed texts that are missing':
        chunks + rowsOf(database, 'chunk_sets') - rowsOf(database, 'chunk_terms_docsize'),
    }
    return Object.entries(found).flatMap(([what, number]) => (number === 0 ? [] : [`${number} ${what}`]))
  })
  const blobs = (await Array.fromAsync(directoryBlobs(join(dataDirectory, 'documents', 'blobs')).list())).map(
    ({ id, sha256 }) => `blob of ${id} ${sha256}`,
  )
  const known = records.map(({ doc_id: id, sha256 }) => `blob of ${id} ${sha256}`)
  const incoming = readdirSync(join(dataDirectory, 'documents', 'incoming')).map((name) => `directory ${name}`)
  return [...orphans, ...symmetricDifference(blobs, known), ...incoming]
}

function symmetricDifference(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set(some).symmetricDifference(new Set(others))]
}
