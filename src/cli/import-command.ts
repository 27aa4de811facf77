/**
 * `sluice import`: sends files and folders to the server and watches them to the end. A run that was
 * broken off is simply started again: what the server has already is not sent to processing twice.
 */
import { readdir, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { AdminClient } from './admin-client.ts'
import { CommandFailure, UsageProblem, type Command, type GivenFlags } from './command.ts'
import { dataCommand } from './data-command.ts'
import type { Output } from './output.ts'
import { ProgressLine } from './progress-line.ts'

interface FileToSend {
  readonly path: string
  /** Shown and stored: below a given folder the path within it. */
  readonly name: string
}

interface ItemOnWire {
  readonly doc_id: string | null
  readonly reason?: { readonly code: string; readonly message: string }
}

interface ImportOnWire {
  readonly accepted: readonly ItemOnWire[]
  readonly duplicate: readonly ItemOnWire[]
  readonly invalid: readonly ItemOnWire[]
}

interface DocumentOnWire {
  readonly state: string
  readonly error: { readonly message: string } | null
}

/** What became of a file. */
interface Outcome {
  readonly name: string
  readonly docId: string | null
  readonly state: string
  readonly problem: string | null
}

const sentTogether = 4
const lookEveryMs = 500

const flag = (placeholder: string, sentence: string) => ({ type: 'string', placeholder, sentence }) as const

export const importCommand: Command = dataCommand({
  name: 'import',
  summary: 'Import files and folders as documents, and wait until they can be searched.',
  details:
    'Folders are walked; names that begin with a dot are left out. Files that the server has already are passed over, so a run that was broken off can be started again.',
  positionals: [{ name: 'PATH', sentence: 'A file or a folder.', repeatable: true }],
  flags: {
    category: flag('NAME', 'Category of the documents; "default" when left out.'),
    owner: {
      ...flag('OWNER', 'Who may see them: an e-mail address, group:NAME or everyone; you alone when left out.'),
      repeatable: true,
    },
    reader: flag('NAME', 'Reader; by content when left out.'),
    chunker: flag('NAME', "Chunker; the server's default when left out."),
    embedder: flag('NAME', "Embedder; the server's default when left out."),
    'chunk-units': flag('N', 'Size of a chunk, in the unit of the chunker.'),
    'chunk-overlap': flag('N', 'Units that neighbours share.'),
    'no-wait': { type: 'boolean', sentence: 'Return when the files are accepted.' },
  },
  async run(client, { positionals, flags, output }) {
    const files = await filesOf(positionals)
    if (files.length === 0) throw new CommandFailure('There is no file to import below these paths.')
    const fields = formFields(flags)
    using progress = new ProgressLine(output)
    const sent = await sendAll(client, files, fields, (count) => progress.show('sent', count, files.length))
    const outcomes = flags.has('no-wait') ? sent : await watch(client, sent, progress)
    progress.clear()
    return report(outcomes, output)
  },
})

async function filesOf(paths: readonly string[]): Promise<readonly FileToSend[]> {
  const found: FileToSend[] = []
  for (const path of paths) {
    const about = await stat(path).catch(() => null)
    if (about === null) throw new UsageProblem(`There is no file or folder ${path}.`)
    if (!about.isDirectory()) {
      found.push({ path, name: basename(path) })
      continue
    }
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    for (const entry of entries) {
      const file = join(entry.parentPath, entry.name)
      const name = relative(path, file)
      if (entry.isFile() && !/(^|[\\/])\./.test(name)) found.push({ path: file, name })
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function formFields(flags: GivenFlags): readonly (readonly [string, string])[] {
  const named = ['reader', 'chunker', 'embedder'].map((name) => [name, flags.get(name)] as const)
  const counts = ['chunk-units', 'chunk-overlap'].map((name) => [name.replace('-', '_'), countOf(flags, name)] as const)
  const owners = flags.all('owner').map((owner) => ['owners', owner] as const)
  const given = [...named, ...counts].filter((field): field is readonly [string, string] => field[1] !== undefined)
  return [['category', flags.get('category') ?? 'default'], ...given, ...owners]
}

function countOf(flags: GivenFlags, name: string): string | undefined {
  const value = flags.get(name)
  if (value !== undefined && !/^\d{1,9}$/.test(value)) throw new UsageProblem(`--${name} takes a whole number.`)
  return value
}

/** Sends the files, several at once; the outcomes are in the order of the files. */
async function sendAll(
  client: AdminClient,
  files: readonly FileToSend[],
  fields: readonly (readonly [string, string])[],
  onSent: (count: number) => void,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<number, Outcome>()
  let sent = 0
  const queue = files.entries()
  const sendSome = async (): Promise<void> => {
    for (const [index, file] of queue) {
      outcomes.set(index, await send(client, file, fields))
      onSent((sent += 1))
    }
  }
  await Promise.all(Array.from({ length: sentTogether }, sendSome))
  return files.flatMap((_, index) => outcomes.get(index) ?? [])
}

async function send(
  client: AdminClient,
  { path, name }: FileToSend,
  fields: readonly (readonly [string, string])[],
): Promise<Outcome> {
  const form = new FormData()
  for (const [field, value] of fields) form.append(field, value)
  form.append('files', Bun.file(path), name)
  const response = await client.request('POST', '/api/v1/documents', form)
  const { accepted, duplicate, invalid } = (await response.json()) as ImportOnWire
  const problem = invalid[0]?.reason?.message ?? null
  const docId = accepted[0]?.doc_id ?? duplicate[0]?.doc_id ?? null
  const state = problem !== null ? 'invalid' : accepted.length > 0 ? 'queued' : 'duplicate'
  return { name, docId, state, problem }
}

/** Looks at the documents that are under way until all have ended. A duplicate may still be under way, too. */
async function watch(
  client: AdminClient,
  sent: readonly Outcome[],
  progress: ProgressLine,
): Promise<readonly Outcome[]> {
  const ended = new Map<number, Outcome>()
  for (const [index, outcome] of sent.entries()) if (outcome.docId === null) ended.set(index, outcome)
  for (;;) {
    for (const [index, outcome] of sent.entries()) {
      if (ended.has(index) || outcome.docId === null) continue
      const response = await client.request('GET', `/api/v1/document/${outcome.docId}`)
      const { state, error } = (await response.json()) as DocumentOnWire
      // The oldest is worked on first: what comes after one that waits waits too.
      if (state === 'queued') break
      if (!['completed', 'failed', 'cancelled'].includes(state)) continue
      const shown = outcome.state === 'duplicate' && state === 'completed' ? 'duplicate' : state
      ended.set(index, { ...outcome, state: shown, problem: error?.message ?? null })
      progress.show('done', ended.size, sent.length)
    }
    if (ended.size === sent.length) return sent.map((outcome, index) => ended.get(index) ?? outcome)
    await Bun.sleep(lookEveryMs)
  }
}

function report(outcomes: readonly Outcome[], output: Output): 0 | 1 {
  const failed = outcomes.filter(({ state }) => ['failed', 'cancelled', 'invalid'].includes(state))
  const counts = Map.groupBy(outcomes, ({ state }) => state)
  const summary = [...counts].map(([state, some]) => `${some.length} ${state}`).join(', ')
  output.result(
    outcomes.map(({ name, docId, state, problem }) => ({ name, doc_id: docId, state, problem })),
    [`${outcomes.length} ${outcomes.length === 1 ? 'file' : 'files'}: ${summary}`],
  )
  output.problems(failed.map(({ name, state, problem }) => `${name}: ${problem ?? state}`))
  return failed.length > 0 ? 1 : 0
}
