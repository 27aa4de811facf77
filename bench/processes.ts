/** Child processes of the benchmark: each is started here and ended by its own id. */
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'

/** The repository's root. */
export const root = join(import.meta.dir, '..')

/** Ends what it started when it goes out of scope, the youngest first, and removes its folder. */
export class Workshop {
  /** A new folder for configuration files, data and logs. */
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  readonly #children: Subprocess[] = []

  /** Starts a process whose output goes to `<label>.log` in the folder. @param environment instead of that of this process, except for PATH */
  start(label: string, command: readonly string[], environment?: Readonly<Record<string, string>>): Subprocess {
    const log = openSync(join(this.folder, `${label}.log`), 'a')
    const child = Bun.spawn([...command], {
      cwd: root,
      stdin: 'ignore',
      stdout: log,
      stderr: log,
      ...(environment && { env: { PATH: process.env['PATH'], ...environment } }),
    })
    this.#children.push(child)
    return child
  }

  /** Starts a script of this folder that prints its port as its first line. */
  async startServer(script: string, ...args: readonly string[]): Promise<{ child: Subprocess; port: number }> {
    const command = [process.execPath, join(import.meta.dir, script), ...args]
    // Without this, fetch holds back every request past the 256th.
    const env = { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' }
    const child = Bun.spawn(command, { cwd: root, env, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
    this.#children.push(child)
    for await (const chunk of child.stdout) {
      return { child, port: (JSON.parse(new TextDecoder().decode(chunk)) as { port: number }).port }
    }
    throw new Error(`${script} ended before it printed its port`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.toReversed()) await stop(child)
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Asks a process to end, and insists after five seconds. */
export async function stop(child: Subprocess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  const insist = setTimeout(() => child.kill('SIGKILL'), 5000)
  await child.exited
  clearTimeout(insist)
}

/** A port that nothing uses at this moment. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  listener.stop(true)
  return listener.port
}

/** Waits until the address answers with a status below 500; throws when the process ends before, or after two minutes. */
export async function untilAnswers(url: string, child: Subprocess, pollMs = 20): Promise<void> {
  let last = ''
  for (const deadline = Date.now() + 120_000; Date.now() < deadline;) {
    if (child.exitCode !== null) throw new Error(`${url}: the process ended with ${child.exitCode}`)
    const answer = await fetch(url).catch(() => null)
    if (answer !== null && answer.status < 500) return
    last = answer === null ? 'no connection' : `${answer.status} ${await answer.text()}`
    await Bun.sleep(pollMs)
  }
  throw new Error(`${url} did not answer within 120 s: ${last}`)
}

/** Standard output of a command; throws with its error output when it fails. */
export async function outputOf(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd: root, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${stderr || stdout}`)
  return stdout
}
