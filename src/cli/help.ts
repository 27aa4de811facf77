/** The help texts, made from the table of commands. */
import type { Command, Flag } from './command.ts'
import { entryLines } from './output.ts'
import { commonFlags } from './parse.ts'

/** Every command in one line each; with a word, only those that begin with it. */
export function overviewLines(commands: readonly Command[], group: string | null): readonly string[] {
  const shown = group === null ? commands : commands.filter(({ name }) => name.startsWith(`${group} `))
  return [
    `Usage: sluice ${group === null ? '' : `${group} `}COMMAND [flags]`,
    '',
    ...entryLines(shown.map(({ name, summary }) => [name, summary])),
    '',
    'Flags of every command:',
    ...flagLines(commonFlags),
    '',
    `"sluice ${group === null ? '' : `${group} `}COMMAND --help" says more about one.`,
  ]
}

/** One command with its arguments and flags. */
export function commandLines(command: Command): readonly string[] {
  const { name, summary, details, positionals = [], flags = {} } = command
  const words = positionals.map((positional) => {
    const word = `${positional.name}${positional.repeatable === true ? '…' : ''}`
    return positional.optional === true ? `[${word}]` : word
  })
  return [
    `Usage: ${['sluice', name, ...words, '[flags]'].join(' ')}`,
    '',
    summary,
    ...(details === undefined ? [] : [details]),
    ...section('Arguments:', entryLines(positionals.map((positional) => [positional.name, positional.sentence]))),
    ...section('Flags:', flagLines(flags)),
    ...section('Flags of every command:', flagLines(commonFlags)),
  ]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}

function flagLines(flags: Readonly<Record<string, Flag>>): readonly string[] {
  return entryLines(
    Object.entries(flags).map(([name, { type, placeholder, repeatable, sentence }]) => [
      `--${name}${type === 'string' ? ` ${placeholder ?? 'VALUE'}` : ''}`,
      `${sentence}${repeatable === true ? ' May be given several times.' : ''}`,
    ]),
  )
}
