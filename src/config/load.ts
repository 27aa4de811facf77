/**
 * From all sources to checked, frozen settings, or to the list of everything that is wrong.
 * Printing the problems and ending with exit code 2 belong to the command line.
 */
import type { ProxyFor } from '#lib/http1/proxy.ts'
import { Secret } from '#lib/secret.ts'
import type { Declared } from './declared/declared.ts'
import { processEnvironment, type Environment } from './sources/environment.ts'
import { readConfigFile } from './sources/file.ts'
import { shownValue, type Problem } from './problem.ts'
import { readProxies } from './sources/proxies.ts'
import { rawFromCommandLine, rawFromEnvironment, rawFromFile, type RawValue } from './sources/raw.ts'
import { readDeclared } from './declared/read-declared.ts'
import {
  isSettingName,
  recordOf,
  settingNames,
  type SettingName,
  type SettingRecord,
  type Settings,
  type SettingValue,
} from './settings/records.ts'
import { sourceText, type Source, type Sources } from './settings/source.ts'
import { readValue } from './settings/value.ts'

export type ConfigResult =
  | {
      readonly kind: 'ok'
      readonly settings: Settings
      readonly sources: Sources
      readonly declared: Declared
      /** The proxies of the environment. */
      readonly proxyFor: ProxyFor
      /** The file that was read, or null. */
      readonly file: string | null
    }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }

export interface ConfigInput {
  /** The value of `--config`. */
  readonly configFile?: string | undefined
  /** The values of `--set`, each `name=value`; of two for one name the last one counts. */
  readonly overrides?: readonly string[] | undefined
  /** The process's own when left out. */
  readonly environment?: Environment | undefined
  /** Where `sluice.yaml` is looked for; the working directory when left out. */
  readonly directory?: string | undefined
}

/**
 * Reads defaults < file < environment < `--set`. Every value given anywhere is checked, also one
 * that a stronger source covers, and all problems are returned at once.
 */
export function loadConfig(input: ConfigInput = {}): ConfigResult {
  const environment = input.environment ?? processEnvironment()
  const file = readConfigFile({ configFile: input.configFile, environment, directory: input.directory })
  const fileName = file.file ?? ''
  const raw = [
    rawFromFile(fileName, file.tree, environment),
    rawFromEnvironment(environment, file.references),
    rawFromCommandLine(input.overrides ?? []),
  ]
  const resolved = resolve(raw.flatMap((part) => part.values))
  const declared = readDeclared(fileName, file.tree, environment)
  const proxies = readProxies(environment)
  const problems = [
    ...file.problems,
    ...raw.flatMap((part) => part.problems),
    ...resolved.problems,
    ...declared.problems,
    ...proxies.problems,
  ]
  if (problems.length > 0) return { kind: 'problems', problems }
  return {
    kind: 'ok',
    settings: resolved.settings,
    sources: resolved.sources,
    declared: declared.declared,
    proxyFor: proxies.proxyFor,
    file: file.file,
  }
}

/** The settings of a server without configuration. */
export function defaultSettings(): Settings {
  return resolve([]).settings
}

interface Resolved {
  readonly settings: Settings
  readonly sources: Sources
  readonly problems: readonly Problem[]
}

function resolve(values: readonly RawValue[]): Resolved {
  const settings = new Map<SettingName, SettingValue>(settingNames.map((name) => [name, recordOf(name).default]))
  const sources = new Map<SettingName, Source>(settingNames.map((name) => [name, { kind: 'default' }]))
  const problems: Problem[] = []
  for (const raw of values) {
    const read = readValue(recordOf(raw.name), raw.value)
    if (read.kind === 'refused') {
      problems.push(valueProblem(raw, read.expected))
    } else {
      settings.set(raw.name, read.value)
      sources.set(raw.name, raw.source)
    }
  }
  for (const [name, value] of settings) {
    const { needs, needsFor = value } = recordOf(name)
    if (needs === undefined || !isSettingName(needs) || value === null || value !== needsFor) continue
    if (settings.get(needs) !== null) continue
    const remedy = `Set it too. For example: ${recordOf(needs).example}.`
    problems.push({ name: needs, source: needs, value: null, expected: `${name} is set, which needs this`, remedy })
  }
  problems.push(...blobProblems(settings), ...workerProblems(settings))
  return {
    // The table's types were checked value by value above; the compiler cannot follow that through a map.
    settings: Object.freeze(Object.fromEntries(settings)) as Settings,
    sources: Object.freeze(Object.fromEntries(sources)) as Sources,
    problems,
  }
}

/** A store of imported files that the other settings do not provide. */
function blobProblems(settings: ReadonlyMap<SettingName, SettingValue>): readonly Problem[] {
  const name = 'documents.blobs'
  const problem = (value: string, expected: string, remedy: string): readonly Problem[] => [
    { name, source: name, value, expected, remedy },
  ]
  const value = settings.get(name)
  if (value === 's3' && settings.get('documents.s3_url') === null)
    return problem(value, 'the address of a store', 'Set documents.s3_url too.')
  if (value === 'database' && !isOnPostgres(settings))
    return problem(value, 'a PostgreSQL database', 'Set database.url, or leave this at auto.')
  return []
}

/** Several workers, where one process keeps the database, or the port, to itself. */
function workerProblems(settings: ReadonlyMap<SettingName, SettingValue>): readonly Problem[] {
  const name = 'server.workers'
  const workers = Number(settings.get(name))
  const problem = (expected: string): readonly Problem[] => [
    { name, source: name, value: String(workers), expected, remedy: 'Leave this at 1.' },
  ]
  if (workers === 1) return []
  // Elsewhere the system gives all connections of a shared port to one of the processes.
  if (process.platform !== 'linux') return problem('Linux, which shares a port among processes')
  if (!isOnPostgres(settings))
    return problem('a PostgreSQL database in database.url: one process keeps SQLite to itself')
  return []
}

function isOnPostgres(settings: ReadonlyMap<SettingName, SettingValue>): boolean {
  const url = settings.get('database.url')
  return url instanceof Secret && url.reveal().startsWith('postgres')
}

function valueProblem(raw: RawValue, expected: string): Problem {
  const record = recordOf(raw.name)
  return {
    name: raw.name,
    source: sourceText(raw.source),
    value: record.type === 'secret' ? null : shownValue(raw.written),
    expected,
    remedy: valueRemedy(record, raw.value),
  }
}

function valueRemedy(record: SettingRecord, value: unknown): string {
  const isText = record.type === 'string' || record.type === 'secret'
  if (isText && (typeof value === 'number' || typeof value === 'boolean')) return 'Put the value in quotes.'
  return record.type === 'boolean' ? 'Write true or false.' : `For example: ${record.example}.`
}
