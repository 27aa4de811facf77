/**
 * The real binary as a child process, in a directory of its own. Every wait here is for a condition:
 * a line that is printed, or the end of the process.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What `npm start` runs. */
export const fromSource = join(import.meta.dir, '..', '..', 'bin', 'sluice')

/** What tests start: the binary that SLUICE_TEST_BINARY names, which starts in a third of the time; else the source. */
export const sluiceProgram = process.env['SLUICE_TEST_BINARY'] ?? fromSource

/** A place to start Sluice in, without any file and with nothing of this process's environment but PATH. */
export class Installation implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'sluice-cli-'))
  readonly dataDirectory = join(this.directory, 'data')
  readonly environment: Record<string, string>
  readonly #program: string
  readonly #servers: RunningServer[] = []

  /** @param program what to run; where options of the runtime are set, the source, which alone follows them */
  constructor(
    environment: Readonly<Record<string, string>> = {},
    program = 'BUN_OPTIONS' in environment ? fromSource : sluiceProgram,
  ) {
    this.#program = program
    this.environment = {
      PATH: process.env['PATH'] ?? '',
      SLUICE_DATA_DIR: this.dataDirectory,
      SLUICE_SERVER_PORT: '0',
      SLUICE_DISCOVERY_ENABLED: 'false',
      ...environment,
    }
  }

  /** Runs one command to its end. */
  async run(args: readonly string[], input = ''): Promise<Finished> {
    const child = this.#spawn(args, input)
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr, lines: stderr.split('\n').filter((line) => line !== '') }
  }

  /** Runs a command that must succeed, and what it answers with `--json`. */
  async json<T = unknown>(args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, '--json'])
    if (code !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  /** Starts a command that the test ends, or that ends by itself. */
  begin(args: readonly string[]): Child {
    return this.#spawn(args, '')
  }

  /** Runs one command in a terminal to its end; all that was to be seen. */
  async runInTerminal(
    args: readonly string[],
    columns: number,
  ): Promise<{ readonly code: number; readonly seen: string }> {
    const decoder = new TextDecoder()
    let seen = ''
    const closed = Promise.withResolvers<void>()
    const child = Bun.spawn([this.#program, ...args], {
      cwd: this.directory,
      env: { ...this.environment, TERM: 'xterm' },
      terminal: {
        cols: columns,
        rows: 24,
        data: (_, bytes) => void (seen += decoder.decode(bytes, { stream: true })),
        exit: () => closed.resolve(),
      },
    })
    const code = await child.exited
    child.terminal?.close()
    await closed.promise
    return { code, seen }
  }

  /** Starts the server and resolves when it has printed that it is ready. */
  async start(args: readonly string[] = []): Promise<RunningServer> {
    const server = new RunningServer(this.#spawn(['start', ...args], ''))
    this.#servers.push(server)
    await server.ready
    return server
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.kill()))
    rmSync(this.directory, { recursive: true })
  }

  #spawn(args: readonly string[], input: string) {
    return Bun.spawn([this.#program, ...args], {
      cwd: this.directory,
      env: this.environment,
      stdin: new Blob([input]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
  }
}

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** Of stderr. */
  readonly lines: readonly string[]
}

type Child = Bun.Subprocess<Blob, 'pipe', 'pipe'>

/** What `start --json` prints. */
export interface Started {
  readonly address: string
  readonly first_start: { readonly email: string; readonly password: string; readonly api_key: string } | null
  readonly forgotten_credentials: readonly string[]
  readonly models: readonly string[]
}

export class RunningServer {
  readonly child: Child
  /** All that it wrote to stdout, when it has printed its report. Rejects when it ends before. */
  readonly ready: Promise<string>
  stdout = ''
  readonly #stdoutEnd: Promise<void>
  readonly #stderr: Promise<string>

  constructor(child: Child) {
    this.child = child
    this.#stderr = child.stderr.text()
    const ready = Promise.withResolvers<string>()
    this.ready = ready.promise
    this.#stdoutEnd = this.#collect(ready)
  }

  async #collect(ready: PromiseWithResolvers<string>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of this.child.stdout) {
      this.stdout += decoder.decode(chunk, { stream: true })
      // The report is written in one piece.
      if (this.stdout.endsWith('\n')) ready.resolve(this.stdout)
    }
    ready.reject(new Error(`the server ended before it was ready: ${await this.#stderr}`))
  }

  get address(): string {
    const address = /https?:\/\/[^\s"/]+/.exec(this.stdout)?.[0]
    if (address === undefined) throw new Error(`no address in: ${this.stdout}`)
    return address
  }

  /** The report of `start --json`. */
  get started(): Started {
    return JSON.parse(this.stdout) as Started
  }

  /** Asks it to stop, as a service manager does, and waits for its end. */
  stop(): Promise<Finished> {
    this.child.kill('SIGTERM')
    return this.finished()
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.child.exited
  }

  /** Its end, with everything that it wrote. */
  async finished(): Promise<Finished> {
    const code = await this.child.exited
    await this.#stdoutEnd
    const stderr = await this.#stderr
    return { code, stdout: this.stdout, stderr, lines: stderr.split('\n').filter((line) => line !== '') }
  }

  /** Status of GET /ai/v1/models with this key. */
  async statusWith(key: string): Promise<number> {
    const response = await fetch(`${this.address}/ai/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    await response.arrayBuffer()
    return response.status
  }

  /** A chat with demo-chat, streamed. */
  chat(key: string, content: string): Promise<Response> {
    return fetch(`${this.address}/ai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-chat', stream: true, messages: [{ role: 'user', content }] }),
    })
  }
}
