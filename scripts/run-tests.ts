/**
 * Runs `bun test` with this process's arguments, passes its output on at once, and ends with one
 * line `N passed, N failed, N skipped`. Exit code: that of the tests, and 1 when none was executed.
 * The counts are from Bun's own summary: its JUnit file leaves out test files that do not load.
 *
 * A run of all tests repeats the files that failed, one by one on the machine they then have to
 * themselves, and what passes there is counted as passed and named as unsteady. The errors of those
 * that fail again are at the end of the output, where the reader is.
 */
import { availableParallelism } from 'node:os'
import { execPath } from 'node:process'

const timeoutMs = 30_000
/** Many tests start servers and browsers of their own. */
const workersMax = 4
/** A change that breaks more files than this is broken: repeating them would only take time. */
const repeatedFilesMax = 8
const args = process.argv.slice(2)
const all = !args.some((argument) => !argument.startsWith('-'))

interface Run {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly exitCode: number
  /** Names of the tests that failed, by the path of their file. */
  readonly failures: ReadonlyMap<string, readonly string[]>
}

// Modules are loaded once for each worker: loading the app again for each file would take as long as its tests.
const workers = Math.min(workersMax, availableParallelism() + 1)
const first = await run(all ? [...args, `--parallel=${workers}`, '--no-isolate', './src', './test'] : args)
const last = all && canBeRepeated(first) ? await repeat(first) : first
console.log(`${last.passed} passed, ${last.failed} failed, ${last.skipped} skipped`)
process.exitCode = last.exitCode === 0 && last.passed + last.failed === 0 ? 1 : last.exitCode

/** False when it broke off, or when an error belongs to no test: that is no matter of a busy machine. */
function canBeRepeated({ failed, failures }: Run): boolean {
  const named = [...failures.values()].flat().length
  return named > 0 && named === failed && failures.size <= repeatedFilesMax
}

async function repeat(before: Run): Promise<Run> {
  let { passed, failed, exitCode } = { ...before, failed: 0, exitCode: 0 }
  const unsteady: string[] = []
  for (const [file, names] of before.failures) {
    console.log(`\n${names.length} failed in ${file}, which is run once more alone:`)
    const again = await run([...args, `./${file}`])
    const broken = again.failures.get(file) ?? []
    const steady = again.exitCode === 0 ? names : []
    unsteady.push(...steady.map((name) => `${file}: ${name}`))
    passed += steady.length
    failed += steady.length === 0 ? Math.max(names.length, broken.length) : 0
    exitCode ||= again.exitCode
  }
  if (unsteady.length > 0) console.log(`\nUnsteady: failed among all, passed alone\n  ${unsteady.join('\n  ')}`)
  return { ...before, passed, failed, exitCode }
}

/** Executes tests, and passes on what they print. */
async function run(options: readonly string[]): Promise<Run> {
  const tests = Bun.spawn([execPath, 'test', `--timeout=${timeoutMs}`, ...options], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
  })
  const stop = (signal: NodeJS.Signals): void => tests.kill(signal)
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  // Bun reports on stderr. All of it goes to stdout here, so that the order holds in one pipe.
  let output = ''
  const decoder = new TextDecoder()
  for await (const chunk of tests.stderr) {
    await Bun.write(Bun.stdout, chunk)
    output += decoder.decode(chunk, { stream: true })
  }
  const exitCode = await tests.exited
  process.off('SIGINT', stop)
  process.off('SIGTERM', stop)
  // oxlint-disable-next-line no-control-regex -- colours are control sequences
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '')
  const summary = readSummary(plain)
  if (summary === null) console.log(`bun test ended without a summary (exit code ${exitCode}).`)
  // A run that broke off has failed even when no single test has.
  const failed = Math.max(summary?.failed ?? 0, exitCode === 0 ? 0 : 1)
  return {
    passed: summary?.passed ?? 0,
    failed,
    skipped: summary?.skipped ?? 0,
    exitCode,
    failures: readFailures(plain),
  }
}

/** The counts of Bun's closing block (` 12 pass`, …, `Ran 14 tests across 3 files.`); null when there is none. */
function readSummary(output: string): { passed: number; failed: number; skipped: number } | null {
  const block = /((?:^ *\d+ [^\n]*\n)+)Ran \d+ tests? across [^\n]*\s*$/m.exec(output.slice(-4096))?.[1]
  if (block === undefined) return null
  const count = (word: string): number => Number(new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(block)?.[1] ?? 0)
  // An error between tests belongs to none of them, unless it is what a test that timed out has left behind.
  const timedOut = new Set(output.match(/^\(fail\) [^\n]+\n +\^ this test timed out/gm)).size
  const errors = Math.max(0, count('errors?') - timedOut)
  return { passed: count('pass'), failed: count('fail') + errors, skipped: count('skip') + count('todo') }
}

/** Bun heads the lines of a file by its path and a colon; its list of failures at the end has no paths. */
function readFailures(output: string): Map<string, string[]> {
  const failures = new Map<string, string[]>()
  let file = ''
  for (const line of output.split('\n')) {
    const heading = /^(\S+\.test\.tsx?):$/.exec(line)?.[1]
    if (heading !== undefined) file = heading
    else if (/^\d+ tests? (?:failed|skipped|todo):$/.test(line)) file = ''
    const name = /^\(fail\) (.+?)(?: \[[\d.]+ms\])?$/.exec(line)?.[1]
    if (name !== undefined && file !== '') failures.set(file, [...(failures.get(file) ?? []), name])
  }
  return failures
}
