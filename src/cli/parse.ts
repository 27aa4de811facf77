/** From arguments to one command with its flags, or to the one sentence that says what is wrong. */
import { parseArgs } from 'node:util'
import { nearestName } from '#config/nearest.ts'
import { UsageProblem, type Command, type Flag, type GivenFlags } from './command.ts'

export type Parsed =
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly positionals: readonly string[]
      readonly flags: GivenFlags
    }
  /** Null: of all commands. A text: of those that begin with it. */
  | { readonly kind: 'help'; readonly of: Command | string | null; readonly flags: GivenFlags }

type Flags = Readonly<Record<string, Flag>>

/** Flags that every command takes. */
export const commonFlags: Flags = {
  config: { type: 'string', placeholder: 'FILE', sentence: 'The configuration file; ./sluice.yaml when there is one.' },
  set: {
    type: 'string',
    placeholder: 'NAME=VALUE',
    repeatable: true,
    sentence: 'A setting that is stronger than file and environment.',
  },
  json: { type: 'boolean', sentence: 'Write JSON for machines.' },
  help: { type: 'boolean', sentence: 'Show how the command is used.' },
}

/** Reads arguments against the table. Throws UsageProblem. */
export function parseCommandLine(args: readonly string[], commands: readonly Command[]): Parsed {
  const named = findCommand(args, commands)
  if (named.kind === 'none') return withoutCommand(args, commands)
  const { command, words } = named
  // The words that name the command may have flags before and between them.
  let skip = words
  const rest = args.filter((argument) => argument.startsWith('-') || skip-- <= 0)
  const known = { ...commonFlags, ...command.flags }
  const { flags, positionals } = readFlags(rest, known, command.name)
  if (flags.has('help')) return { kind: 'help', of: command, flags }
  checkPositionals(command, positionals)
  return { kind: 'run', command, positionals, flags }
}

type Named = { readonly kind: 'command'; readonly command: Command; readonly words: number } | { readonly kind: 'none' }

/** The command that the first one or two words name. */
function findCommand(args: readonly string[], commands: readonly Command[]): Named {
  const [first, second] = leadingWords(args)
  if (first === undefined) return { kind: 'none' }
  const two = commands.find(({ name }) => name === `${first} ${second ?? ''}`)
  if (two !== undefined) return { kind: 'command', command: two, words: 2 }
  const one = commands.find(({ name }) => name === first)
  return one === undefined ? { kind: 'none' } : { kind: 'command', command: one, words: 1 }
}

/** Words before the first flag that takes a value: `sluice --json keys list` names a command too. */
function leadingWords(args: readonly string[]): readonly string[] {
  const words: string[] = []
  for (const argument of args) {
    if (!argument.startsWith('-')) words.push(argument)
    else if (commonFlags[argument.slice(2)]?.type !== 'boolean') break
  }
  return words
}

/** No command, a group of commands, or one that does not exist. */
function withoutCommand(args: readonly string[], commands: readonly Command[]): Parsed {
  const [first, second] = leadingWords(args)
  const { flags } = readFlags(args, commonFlags, null)
  if (first === undefined) return { kind: 'help', of: null, flags }
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && (second === undefined || flags.has('help'))) return { kind: 'help', of: first, flags }
  const wanted = second === undefined || group.length === 0 ? first : `${first} ${second}`
  const names =
    group.length > 0
      ? group.map(({ name }) => name)
      : commands.flatMap(({ name }) => [name, name.split(' ')[0] ?? name])
  throw new UsageProblem(`There is no command "${wanted}". ${advice(nearestName(wanted, names))}`)
}

function readFlags(
  args: readonly string[],
  known: Flags,
  command: string | null,
): { flags: GivenFlags; positionals: readonly string[] } {
  const options = Object.fromEntries(Object.entries(known).map(([name, { type }]) => [name, { type, multiple: true }]))
  // Not strict, so that the sentence about a mistake is ours and can name the nearest flag.
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const given = new Map<string, string[]>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const flag = known[token.name]
    if (flag === undefined) throw unknownFlag(token.rawName, known, command)
    if (given.has(token.name) && flag.repeatable !== true) throw new UsageProblem(`${token.rawName} is given twice.`)
    given.set(token.name, [...(given.get(token.name) ?? []), flagValue(token, flag)])
  }
  return {
    flags: {
      get: (name) => given.get(name)?.at(-1),
      all: (name) => given.get(name) ?? [],
      has: (name) => given.has(name),
    },
    positionals,
  }
}

interface OptionToken {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}

function flagValue({ rawName, value, inlineValue }: OptionToken, flag: Flag): string {
  if (flag.type === 'boolean') {
    if (value !== undefined) throw new UsageProblem(`${rawName} takes no value.`)
    return ''
  }
  const isForgotten = value === undefined || value === '' || (inlineValue !== true && value.startsWith('--'))
  if (isForgotten) throw new UsageProblem(`${rawName} needs a value: ${rawName} ${flag.placeholder ?? 'VALUE'}.`)
  return value
}

function unknownFlag(rawName: string, known: Flags, command: string | null): UsageProblem {
  const nearest = nearestName(rawName.replace(/^-+/, ''), Object.keys(known))
  const place = command === null ? '' : ` of "sluice ${command}"`
  return new UsageProblem(
    `There is no flag ${rawName}${place}. ${advice(nearest === null ? null : `--${nearest}`, command)}`,
  )
}

function advice(nearest: string | null, command: string | null = null): string {
  if (nearest !== null) return `Did you mean ${nearest}?`
  return `"sluice ${command === null ? 'help' : `${command} --help`}" lists what there is.`
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const wanted = command.positionals ?? []
  const missing = wanted.find(({ optional }, index) => optional !== true && given[index] === undefined)
  if (missing !== undefined) {
    throw new UsageProblem(`"sluice ${command.name}" needs ${missing.name}: ${missing.sentence}`)
  }
  const extra = wanted.at(-1)?.repeatable === true ? undefined : given[wanted.length]
  if (extra !== undefined) throw new UsageProblem(`"sluice ${command.name}" does not take "${extra}".`)
}
