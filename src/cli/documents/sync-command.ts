/** `sluice sync`: makes the documents of the server those of a folder, once or again and again. */
import { realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { pause } from '#lib/loop.ts'
import { dataCommand } from '../admin/data-command.ts'
import { CommandFailure, UsageProblem, type Command, type ExitCode, type Invocation } from '../command.ts'
import { flag, formFields, importFiles, importFlags, report } from './import-command.ts'
import { Interrupted, Interruption } from './interruption.ts'
import type { RetryOptions } from './request-with-retry.ts'
import {
  deleteGone,
  lookAtFolder,
  manifestOf,
  planFolder,
  sourceFields,
  tellMoved,
  type FolderFile,
} from './sync-folder.ts'

const secondMs = 1000
const defaultEverySeconds = 5
const sourceMax = 255

export const syncCommand: Command = dataCommand({
  name: 'sync',
  summary: 'Make the documents of the server those of a folder: new, changed, moved and deleted files.',
  details:
    'Only changed files are sent; a new version is found once it is complete, and until then the old one is. Links, and names that begin with a dot, are left out. The server keeps the list of the files, so a run that was broken off can be started again, anywhere.',
  positionals: [{ name: 'FOLDER', sentence: 'The folder.' }],
  flags: {
    source: flag('NAME', 'What the server calls the folder; the name of this machine and its path when left out.'),
    ...importFlags,
    ignore: {
      ...flag('GLOB', 'Leave out files and folders of this name, or with a slash in it of this path.'),
      repeatable: true,
    },
    'allow-empty': { type: 'boolean', sentence: 'Delete all documents when the folder is empty.' },
    'dry-run': { type: 'boolean', sentence: 'Print what would be done, and do nothing.' },
    watch: { type: 'boolean', sentence: 'Go on: look again at intervals, until it is stopped.' },
    every: flag('SECONDS', `Between two looks with --watch; ${defaultEverySeconds} when left out.`),
    'no-wait': { type: 'boolean', sentence: 'Return when the files are accepted.' },
  },
  async run(client, { positionals: [given = ''], flags, output }) {
    const folder = await realpath(given).catch(() => {
      throw new UsageProblem(`There is no folder ${given}.`)
    })
    const source = flags.get('source') ?? `${hostname()}:${folder}`
    if (source.length > sourceMax) throw new UsageProblem('The path is too long for a name. Give one with --source.')
    if (flags.has('watch') && flags.has('dry-run')) throw new UsageProblem('--watch and --dry-run exclude each other.')
    using interruption = new Interruption()
    const { signal } = interruption
    const retry = { client, signal, onWait: (reason: string) => output.remark(reason) }
    const look = new Look({ folder, source, retry, flags, output })
    const intervalMs = everyMs(flags.get('every'))
    try {
      return flags.has('watch') ? await watch(look, intervalMs, signal) : await look.once()
    } catch (thrown) {
      if (!(thrown instanceof Interrupted)) throw thrown
      if (flags.has('watch')) return 0
      throw new CommandFailure('Stopped. What was done is safe with the server; start this command again to go on.')
    }
  },
})

interface LookOptions extends Pick<Invocation, 'flags' | 'output'> {
  readonly folder: string
  readonly source: string
  readonly retry: RetryOptions
}

/** Looks at one folder. The fields that were given hold for all of them. */
class Look {
  readonly #options: LookOptions
  readonly #fields: ReturnType<typeof formFields>
  readonly #ignores: (within: string) => boolean
  /** The folder as it was when nothing was left to do; null before. */
  #settled: string | null = null

  constructor(options: LookOptions) {
    this.#options = options
    this.#fields = formFields(options.flags)
    this.#ignores = ignoring(options.flags.all('ignore'))
  }

  /** Brings the server up to date. */
  async once(): Promise<ExitCode> {
    const { folder, source, retry, flags, output } = this.#options
    const files = await lookAtFolder(folder, this.#ignores)
    const known = await manifestOf(retry, source)
    if (files.length === 0 && known.length > 0 && !flags.has('allow-empty'))
      throw new CommandFailure(
        `The folder is empty, and the server has ${known.length} documents of it. If they are to be deleted, add --allow-empty.`,
      )
    const plan = await planFolder(files, known)
    if (flags.has('dry-run')) return describe(plan, output)
    const passing = (): void => retry.signal.throwIfAborted()
    const unknown = await tellMoved(retry, [...plan.moved, ...plan.touched], passing)
    const send = [...plan.send.map(({ file }) => file), ...unknown].map((file): FolderFile => ({
      ...file,
      fields: sourceFields(source, file),
    }))
    const { client, signal } = retry
    const order = { fields: this.#fields, wait: !flags.has('no-wait'), client, signal, output }
    const { outcomes, broken } = send.length === 0 ? { outcomes: [], broken: null } : await importFiles(send, order)
    // Only after the others: what was moved without being recognised is found all the time.
    if (broken === null) await deleteGone(retry, plan.gone, passing)
    const deleted = broken === null ? plan.gone.length : 0
    output.remark(
      `${plan.unchanged.length + plan.touched.length} unchanged, ${plan.moved.length} moved, ${deleted} deleted`,
    )
    const code = report(outcomes, broken, output)
    this.#settled = code === 0 ? stateOf(files) : null
    return code
  }

  /** The same, unless the folder is as it was when all was done. */
  async ifChanged(): Promise<void> {
    const { folder } = this.#options
    if (this.#settled !== null && stateOf(await lookAtFolder(folder, this.#ignores)) === this.#settled) return
    await this.once()
  }

  /** A look failed, and the next one may not. */
  failed(error: CommandFailure): void {
    this.#options.output.remark(error.message)
  }
}

/** Goes on until it is stopped; a folder that cannot be read for a moment, or a server, ends it not. */
async function watch(look: Look, intervalMs: number, signal: AbortSignal): Promise<ExitCode> {
  // The first look tells whether anything works at all.
  await look.once()
  while (!signal.aborted) {
    await pause(intervalMs, signal)
    if (signal.aborted) break
    try {
      await look.ifChanged()
    } catch (thrown) {
      if (thrown instanceof CommandFailure) look.failed(thrown)
      else if (thrown instanceof UsageProblem) look.failed(new CommandFailure(thrown.message))
      else throw thrown
    }
  }
  return 0
}

/** Prints a line for each change. */
function describe(plan: Awaited<ReturnType<typeof planFolder>>, output: LookOptions['output']): ExitCode {
  const { send, moved, gone, touched, unchanged } = plan
  const changes = [
    ...send.map(({ file, known }) => ({ change: known === null ? 'new' : 'changed', file: file.id })),
    ...moved.map(({ file, known }) => ({ change: 'moved', file: file.id, from: known.id })),
    ...gone.map(({ id }) => ({ change: 'deleted', file: id })),
  ]
  const lines = changes.map((each) => {
    const from = 'from' in each ? ` (from ${JSON.stringify(each.from)})` : ''
    // As JSON: a name may have any character.
    return `${each.change.padEnd(8)} ${JSON.stringify(each.file)}${from}`
  })
  output.result(changes, [...lines, `${unchanged.length + touched.length} unchanged, ${changes.length} to do`])
  return 0
}

/** Whether a path within the folder is left out: by its name, or by its path when the pattern has a slash. */
function ignoring(patterns: readonly string[]): (within: string) => boolean {
  const globs = patterns.map((pattern) => ({
    glob: new Bun.Glob(pattern.replace(/^\/|\/$/g, '')),
    ofPath: pattern.replace(/\/$/, '').includes('/'),
  }))
  return (within) => globs.some(({ glob, ofPath }) => glob.match(ofPath ? within : basename(within)))
}

function stateOf(files: readonly FolderFile[]): string {
  return Bun.hash(files.map(({ id, version }) => JSON.stringify([id, version])).join('\n')).toString()
}

function everyMs(given: string | undefined): number {
  const seconds = given === undefined ? defaultEverySeconds : Number(given)
  if (Number.isFinite(seconds) && seconds >= 0.1) return seconds * secondMs
  throw new UsageProblem('--every takes a number of seconds.')
}
