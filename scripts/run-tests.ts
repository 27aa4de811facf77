/**
 * Runs `bun test` with this process's arguments, passes its output on at once, and ends with one
 * line `N passed, N failed, N skipped`. Exit code: that of the tests, and 1 when none was executed.
 * The counts are from Bun's own summary: its JUnit file leaves out test files that do not load.
 */
import { availableParallelism } from 'node:os'
import { execPath } from 'node:process'

const timeoutMs = 30_000
/** Many tests start servers and browsers of their own. */
const workersMax = 4
const args = process.argv.slice(2)
// Modules are loaded once for each worker: loading the app again for each file would take as long as its tests.
const workers = Math.min(workersMax, availableParallelism())
const whole = [`--parallel=${workers}`, '--no-isolate', './src', './test']
const paths = args.some((argument) => !argument.startsWith('-')) ? [] : whole

const tests = Bun.spawn([execPath, 'test', `--timeout=${timeoutMs}`, ...args, ...paths], {
  stdin: 'ignore',
  stdout: 'inherit',
  stderr: 'pipe',
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))

// Bun reports on stderr. All of it goes to stdout here, so that the order holds in one pipe.
let tail = ''
const decoder = new TextDecoder()
for await (const chunk of tests.stderr) {
  await Bun.write(Bun.stdout, chunk)
  tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4096)
}
const exitCode = await tests.exited

const summary = readSummary(tail)
if (summary === null) console.log(`bun test ended without a summary (exit code ${exitCode}).`)
// A run that broke off has failed even when no single test has.
const failed = Math.max(summary?.failed ?? 0, exitCode === 0 ? 0 : 1)
const passed = summary?.passed ?? 0
console.log(`${passed} passed, ${failed} failed, ${summary?.skipped ?? 0} skipped`)
process.exitCode = exitCode === 0 && passed + failed === 0 ? 1 : exitCode

interface Summary {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** The counts of Bun's closing block (` 12 pass`, …, `Ran 14 tests across 3 files.`); null when there is none. */
function readSummary(output: string): Summary | null {
  // oxlint-disable-next-line no-control-regex -- colours are control sequences
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '')
  const block = /((?:^ *\d+ [^\n]*\n)+)Ran \d+ tests? across [^\n]*\s*$/m.exec(plain)?.[1]
  if (block === undefined) return null
  const count = (word: string): number => Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(block)?.[1] ?? 0)
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') + count('todo') }
}
