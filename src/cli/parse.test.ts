import { describe, expect, test } from 'bun:test'
import { UsageProblem } from './command.ts'
import { commands } from './commands.ts'
import { commandLines, overviewLines } from './help.ts'
import { commonFlags, parseCommandLine } from './parse.ts'

function parsed(line: string) {
  return parseCommandLine(
    line.split(' ').filter((word) => word !== ''),
    commands,
  )
}

function problemOf(line: string): string {
  try {
    parsed(line)
  } catch (thrown) {
    if (thrown instanceof UsageProblem) return thrown.message
    throw thrown
  }
  return 'no problem'
}

describe('the command line', () => {
  test.each([
    ['keys list', 'keys list'],
    ['--json keys list', 'keys list'],
    ['keys --json list', 'keys list'],
    ['start --set server.port=0 --set log.level=warn', 'start'],
    ['backup copy.db --config other.yaml', 'backup'],
  ])('%s is read as the command %s', (line, name) => {
    const result = parsed(line)
    expect(result.kind === 'run' && result.command.name).toBe(name)
  })

  test('gives every value of a repeated flag, and positionals wherever they stand', () => {
    const result = parsed('users add --group a ada@example.org --group=b')
    expect(result.kind).toBe('run')
    if (result.kind !== 'run') return
    expect(result.positionals).toEqual(['ada@example.org'])
    expect(result.flags.all('group')).toEqual(['a', 'b'])
    expect(result.flags.has('no-password')).toBe(false)
  })

  test.each([
    ['frobnicate', 'There is no command "frobnicate". "sluice help" lists what there is.'],
    ['strat', 'There is no command "strat". Did you mean start?'],
    ['user list', 'There is no command "user". Did you mean users?'],
    ['users ad', 'There is no command "users ad". Did you mean users add?'],
    ['start --josn', 'There is no flag --josn of "sluice start". Did you mean --json?'],
    ['start --json=yes', '--json takes no value.'],
    ['start --config', '--config needs a value: --config FILE.'],
    ['start --config --json', '--config needs a value: --config FILE.'],
    ['start --config a --config b', '--config is given twice.'],
    ['start now', '"sluice start" does not take "now".'],
    ['backup', '"sluice backup" needs PLACE: A directory, or s3://BUCKET/PREFIX; must be empty.'],
  ])('%s is refused in one sentence', (line, sentence) => {
    expect(problemOf(line)).toBe(sentence)
  })

  test.each([
    ['', null],
    ['--help', null],
    ['keys', 'keys'],
    ['keys --help', 'keys'],
  ])('%p shows an overview', (line, of) => {
    expect(parsed(line)).toMatchObject({ kind: 'help', of })
  })
})

describe('the help', () => {
  test('names every command, and every command its flags and arguments', () => {
    const overview = overviewLines(commands, null).join('\n')
    for (const command of commands) {
      expect(overview).toContain(`  ${command.name} `)
      const own = commandLines(command).join('\n')
      expect(own).toContain(command.summary)
      for (const flag of [...Object.keys(command.flags ?? {}), ...Object.keys(commonFlags)])
        expect(own).toContain(`--${flag}`)
      for (const positional of command.positionals ?? []) expect(own).toContain(positional.sentence)
    }
  })

  test('is one sentence of a capital letter and a full stop for each command and flag', () => {
    for (const { summary, flags = {} } of commands) {
      for (const sentence of [summary, ...Object.values(flags).map((flag) => flag.sentence)])
        expect(sentence).toMatch(/^[A-Z].*\.$/)
    }
  })
})
