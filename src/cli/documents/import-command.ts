/**
 * `sluice import`: sends files and folders to the server and watches them to the end. A run that was
 * broken off is simply started again: what the server has already is not processed twice.
 */
import { CommandFailure, UsageProblem, type Command, type ExitCode, type Flag, type GivenFlags } from '../command.ts'
import { dataCommand } from '../admin/data-command.ts'
import type { AdminClient } from '../admin/admin-client.ts'
import { filesBelow, type FileToSend } from './files-below.ts'
import { ImportRun, type ImportProgress, type Outcome } from './import-run.ts'
import { Interrupted, Interruption } from './interruption.ts'
import type { Output } from '../output.ts'
import { ProgressLine } from './progress-line.ts'

export const flag = (placeholder: string, sentence: string) => ({ type: 'string', placeholder, sentence }) as const

/** How documents are made, for all files of a run. */
export const importFlags: Readonly<Record<string, Flag>> = {
  category: flag('NAME', 'Category of the documents; "default" when left out.'),
  owner: {
    ...flag('OWNER', 'Who may see them: an e-mail address, group:NAME or everyone; you alone when left out.'),
    repeatable: true,
  },
  meta: {
    ...flag('KEY=VALUE', 'Metadata of the documents; a value that is JSON is taken as such, any other as a text.'),
    repeatable: true,
  },
  reader: flag('NAME', 'Reader; by content when left out.'),
  chunker: flag('NAME', "Chunker; the server's default when left out."),
  embedder: flag('NAME', "Embedder; the server's default when left out."),
  'chunk-units': flag('N', 'Size of a chunk, in the unit of the chunker.'),
  'chunk-overlap': flag('N', 'Units that neighbours share.'),
}

export const importCommand: Command = dataCommand({
  name: 'import',
  summary: 'Import files, folders and web pages as documents, and wait until they can be searched.',
  details:
    'Folders are walked; links, and names that begin with a dot, are left out. The server fetches http: and https: addresses itself. Files that the server has already are passed over, so a run that was broken off can be started again.',
  positionals: [{ name: 'PATH', sentence: 'A file, a folder or a web address.', repeatable: true }],
  flags: {
    ...importFlags,
    'no-wait': { type: 'boolean', sentence: 'Return when the files are accepted.' },
  },
  async run(client, { positionals, flags, output }) {
    const fields = formFields(flags)
    const files = await filesBelow(positionals)
    if (files.length === 0) throw new CommandFailure('There is no file to import below these paths.')
    using interruption = new Interruption()
    const wait = !flags.has('no-wait')
    const { outcomes, broken } = await importFiles(files, { fields, wait, client, signal: interruption.signal, output })
    return report(outcomes, broken, output)
  },
})

export interface ImportFilesOptions {
  readonly fields: ReturnType<typeof formFields>
  readonly wait: boolean
  readonly client: AdminClient
  readonly signal: AbortSignal
  readonly output: Output
}

/** What became of files that were sent, with a progress bar. `broken` is what ended the run before they had all ended. */
export interface ImportedFiles {
  readonly outcomes: readonly Outcome[]
  readonly broken: { readonly thrown: unknown } | null
}

export async function importFiles(
  files: readonly FileToSend[],
  { fields, wait, client, signal, output }: ImportFilesOptions,
): Promise<ImportedFiles> {
  using progress = new ProgressLine(output)
  let last: ImportProgress = { sent: 0, done: 0 }
  const show = (remark = ''): void => {
    const { sent, done } = last
    const text = wait ? `${done}/${files.length} processed, ${sent} sent` : `${sent}/${files.length} sent`
    progress.show(wait ? done : sent, files.length, text + remark)
  }
  const onProgress = (next: ImportProgress): void => {
    last = next
    show()
  }
  const retry = { client, signal, onWait: (reason: string) => show(`: ${reason}`) }
  const run = new ImportRun({ files, fields, wait, retry, onProgress })
  show()
  const broken = await run.finish().then(
    () => null,
    (thrown: unknown) => ({ thrown }),
  )
  return { outcomes: run.outcomes, broken }
}

export function formFields(flags: GivenFlags): readonly (readonly [string, string])[] {
  const named = ['reader', 'chunker', 'embedder'].map((name) => [name, flags.get(name)] as const)
  const counts = ['chunk-units', 'chunk-overlap'].map((name) => [name.replace('-', '_'), countOf(flags, name)] as const)
  const owners = flags.all('owner').map((owner) => ['owners', owner] as const)
  const given = [...named, ...counts].filter((field): field is readonly [string, string] => field[1] !== undefined)
  return [['category', flags.get('category') ?? 'default'], ...given, ...owners, ...metadataField(flags.all('meta'))]
}

function metadataField(given: readonly string[]): readonly (readonly [string, string])[] {
  if (given.length === 0) return []
  const entries = given.map((each) => {
    const at = each.indexOf('=')
    if (at < 1) throw new UsageProblem('--meta takes KEY=VALUE.')
    return [each.slice(0, at), jsonOrText(each.slice(at + 1))] as const
  })
  return [['metadata', JSON.stringify(Object.fromEntries(entries))]]
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function countOf(flags: GivenFlags, name: string): string | undefined {
  const value = flags.get(name)
  if (value !== undefined && !/^\d{1,9}$/.test(value)) throw new UsageProblem(`--${name} takes a whole number.`)
  return value
}

/** Tells what became of the files. A run that was broken off tells it of what it had sent; of one that sent nothing only why. */
export function report(
  outcomes: readonly Outcome[],
  broken: { readonly thrown: unknown } | null,
  output: Output,
): ExitCode {
  const sent = outcomes.filter(({ state }) => state !== 'unsent')
  const wasStopped = broken?.thrown instanceof Interrupted
  if (broken !== null && !wasStopped && sent.length === 0) throw broken.thrown
  const counts = [...Map.groupBy(outcomes, ({ state }) => state)].map(([state, some]) => `${some.length} ${state}`)
  output.result(
    outcomes.map(({ docId, ...outcome }) => ({ ...outcome, doc_id: docId })),
    [`${outcomes.length} ${outcomes.length === 1 ? 'file' : 'files'}: ${counts.join(', ')}`],
  )
  for (const line of warningLines(outcomes)) output.remark(line)
  const failed = outcomes.filter(({ problem }) => problem !== null)
  const failures = failed.map(({ name, problem }) => `${name}: ${problem}`)
  const stopped = 'Stopped. What was sent is safe with the server; start this command again to go on.'
  const problems = wasStopped ? [...failures, stopped] : failures
  if (problems.length > 0) output.problems(problems)
  if (broken !== null && !wasStopped) throw broken.thrown
  return failed.length > 0 || wasStopped ? 1 : 0
}

/** Each warning once; a run of thousands of files may have the same for all. */
function warningLines(outcomes: readonly Outcome[]): readonly string[] {
  const warned = outcomes
    .filter(({ state }) => state === 'completed')
    .flatMap(({ name, warnings }) => warnings.map((warning) => ({ name, warning })))
  return [...Map.groupBy(warned, ({ warning }) => warning)].map(([warning, some]) => {
    const [first, ...others] = some.map(({ name }) => name)
    return `${first}${others.length === 0 ? '' : ` and ${others.length} more`}: ${warning}`
  })
}
