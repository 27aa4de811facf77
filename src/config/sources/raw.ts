/**
 * The first of two levels: what was written, where, under which setting's name. Nothing is checked
 * here but the names; checking the values is the second level (load.ts).
 */
import { isObject } from '#lib/json-value.ts'
import { clientVariables, variable, type Environment } from './environment.ts'
import { fileVariable, type Tree } from './file.ts'
import { interpolate, type InterpolationFault } from './interpolate.ts'
import { nearestRemedy } from '../nearest.ts'
import { shownValue, type Problem } from '../problem.ts'
import { isSettingName, recordOf, settingNames, variableOf, type SettingName } from '../settings/records.ts'
import { sourceText, type Source } from '../settings/source.ts'

/** One value as it was written. */
export interface RawValue {
  readonly name: SettingName
  readonly source: Source
  /** With its `${NAME}` replaced. */
  readonly value: unknown
  /** For messages: as written, without replacement. */
  readonly written: unknown
}

export interface RawValues {
  readonly values: readonly RawValue[]
  readonly problems: readonly Problem[]
}

/** Sections of the file that hold declared entities; they are read by declared.ts. */
export const declaredSections = ['providers', 'models', 'composites', 'groups', 'users', 'aliases', 'budgets'] as const

const groupNames: ReadonlySet<string> = new Set(
  settingNames.flatMap((name) => {
    const parts = name.split('.')
    return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'))
  }),
)
const ownVariables: ReadonlySet<string> = new Set([fileVariable, ...Object.values(clientVariables)])
const namesInFile = [...settingNames, ...groupNames, ...declaredSections]

/** The settings of the file, nested by the dots of their names. A blank value counts as not set. */
export function rawFromFile(file: string, tree: Tree, environment: Environment): RawValues {
  const values: RawValue[] = []
  const problems: Problem[] = []
  const found = new Set<string>()
  const take = (name: SettingName, written: unknown): void => {
    const source: Source = { kind: 'file', file, key: name }
    if (found.has(name)) {
      const expected = 'the setting is written twice, once nested and once with dots'
      problems.push({ name, source: sourceText(source), value: null, expected, remedy: 'Remove one of the two.' })
    }
    found.add(name)
    const faults: InterpolationFault[] = []
    const value = interpolate(written, name, environment, faults)
    problems.push(...faults.map((fault) => interpolationProblem(fault, file)))
    if (faults.length === 0) values.push({ name, source, value, written })
  }
  const visit = (node: Tree, prefix: string): void => {
    for (const [key, written] of Object.entries(node)) {
      const name = prefix + key
      if (prefix === '' && (declaredSections as readonly string[]).includes(name)) continue
      if (isSettingName(name)) {
        if (written !== null) take(name, written)
      } else if (!groupNames.has(name)) {
        problems.push(unknownName(name, `${file}: ${name}`, namesInFile))
      } else if (isObject(written)) {
        visit(written, `${name}.`)
      } else if (written !== null) {
        const expected = 'this is a group of settings and takes no value'
        const remedy = `Write its settings below it, indented, for example ${firstBelow(name)}.`
        problems.push({ name, source: `${file}: ${name}`, value: null, expected, remedy })
      }
    }
  }
  visit(tree, '')
  return { values, problems }
}

/** The settings of the environment. `referenced` are variables that the file itself asks for. */
export function rawFromEnvironment(environment: Environment, referenced: ReadonlySet<string>): RawValues {
  const known = new Map(settingNames.map((name) => [variableOf(name), name]))
  const values: RawValue[] = []
  const problems: Problem[] = []
  for (const name of Object.keys(environment).sort()) {
    const value = name.startsWith('SLUICE_') ? variable(environment, name) : null
    if (value === null) continue
    const setting = known.get(name)
    if (setting !== undefined) {
      values.push({ name: setting, source: { kind: 'environment', variable: name }, value, written: value })
    } else if (!ownVariables.has(name) && !referenced.has(name) && !isServiceLink(name, value)) {
      problems.push(unknownName(name, name, [...known.keys(), fileVariable]))
    }
  }
  return { values, problems }
}

/** The settings of the command line, each a text `name=value`. */
export function rawFromCommandLine(overrides: readonly string[]): RawValues {
  const values: RawValue[] = []
  const problems: Problem[] = []
  const source: Source = { kind: 'command_line' }
  for (const override of overrides) {
    const split = override.indexOf('=')
    const name = split === -1 ? override : override.slice(0, split)
    const value = split === -1 ? '' : override.slice(split + 1)
    if (!isSettingName(name)) {
      problems.push(unknownName(name, sourceText(source), settingNames))
    } else if (value.trim() === '') {
      const expected = 'the value is missing'
      const remedy = `Write --set ${name}=${recordOf(name).example}.`
      problems.push({ name, source: sourceText(source), value: null, expected, remedy })
    } else if (isBareSecret(name)) {
      const expected = 'a secret is not taken from the command line, where other users of the machine can read it'
      const remedy = `Set ${variableOf(name)} or write it in the file.`
      problems.push({ name, source: sourceText(source), value: null, expected, remedy })
    } else {
      values.push({ name, source, value, written: value })
    }
  }
  return { values, problems }
}

/** A `${NAME}` that cannot be replaced, as a problem of the string that holds it. */
export function interpolationProblem(fault: InterpolationFault, file: string): Problem {
  const missing = fault.reason === 'missing'
  return {
    name: fault.path,
    source: `${file}: ${fault.path}`,
    value: null,
    expected: missing
      ? `the environment variable of ${fault.reference} is not set`
      : 'a reference to an environment variable is written ${NAME}, with letters, digits and _ only',
    remedy: missing ? 'Set it, or write the value itself.' : 'Correct it; $${ stands for a literal ${.',
  }
}

// The value of an unknown name may be a secret under a mistyped name: it is never shown.
function unknownName(name: string, source: string, known: readonly string[]): Problem {
  const shown = shownValue(name).slice(1, -1)
  return { name: shown, source, value: null, expected: 'there is no such setting', remedy: nearestRemedy(name, known) }
}

function firstBelow(group: string): string {
  return settingNames.find((name) => name.startsWith(`${group}.`)) ?? group
}

function isBareSecret(name: SettingName): boolean {
  const record = recordOf(name)
  return record.type === 'secret' && record.shownAs === undefined
}

/** Kubernetes puts SLUICE_SERVICE_HOST, SLUICE_PORT_3001_TCP and so on beside a service named "sluice". */
function isServiceLink(name: string, value: string): boolean {
  return (
    /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    /^(tcp|udp|sctp):\/\//.test(value)
  )
}
