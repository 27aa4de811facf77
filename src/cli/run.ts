/** Runs one invocation of the command line and turns whatever happens into output and an exit code. */
import { StartProblem } from '#setup/start-problem.ts'
import { CommandFailure, UsageProblem, type ExitCode } from './command.ts'
import { commands } from './commands.ts'
import { commandLines, overviewLines } from './help.ts'
import { createOutput, type Output } from './output.ts'
import { parseCommandLine } from './parse.ts'

/** Never rejects. */
export async function run(args: readonly string[]): Promise<ExitCode> {
  const output = createOutput(args.includes('--json'))
  try {
    return await runParsed(asCommand(args), output)
  } catch (thrown) {
    return report(thrown, output)
  }
}

/** `--version` and `help COMMAND`, which people try first, in the form of the others. */
function asCommand(args: readonly string[]): readonly string[] {
  if (args[0] === '--version') return ['version', ...args.slice(1)]
  if (args[0] === 'help') return [...args.slice(1), '--help']
  return args
}

async function runParsed(args: readonly string[], output: Output): Promise<ExitCode> {
  const parsed = parseCommandLine(args, commands)
  if (parsed.kind === 'run') return parsed.command.run({ ...parsed, output })
  const { of } = parsed
  const lines = of === null || typeof of === 'string' ? overviewLines(commands, of) : commandLines(of)
  output.result({ help: lines.join('\n') }, lines)
  return 0
}

function report(thrown: unknown, output: Output): ExitCode {
  if (thrown instanceof StartProblem) {
    output.problems(thrown.lines)
    return 2
  }
  if (thrown instanceof UsageProblem) {
    output.problems([thrown.message])
    return 2
  }
  if (thrown instanceof CommandFailure) {
    output.problems([thrown.message])
    return 1
  }
  // A bug: the stack is what is needed to fix it.
  output.problems([thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)])
  return 1
}
