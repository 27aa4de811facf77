/** A Git repository behind the real `git http-backend`, and commits to it. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface GitServer extends AsyncDisposable {
  /** Of the repository. */
  readonly url: string
  /** Where its files are checked out. */
  readonly folder: string
  /** Requests in their order: method, path, and the command of version 2. */
  readonly requests: string[]
  /** Authorization that is asked for; null takes everybody. */
  authorization: string | null
  git(...args: readonly string[]): string
  /** Writes these files (null removes one) and commits. */
  commit(files: Readonly<Record<string, string | null>>): void
}

const backend = '/usr/lib/git-core/git-http-backend'
export const hasGit = Bun.which('git') !== null && existsSync(backend)

export function startGitServer(): GitServer {
  const root = mkdtempSync(join(tmpdir(), 'sluice-git-'))
  const work = join(root, 'repo')
  const requests: string[] = []
  const git = (...args: readonly string[]): string => {
    const own = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false']
    const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...own, ...args], {
      cwd: existsSync(work) ? work : root,
    })
    if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.toString()}`)
    return stdout.toString().trim()
  }
  git('init', '-q', '-b', 'main', work)
  git('config', 'uploadpack.allowFilter', 'true')
  git('config', 'http.receivepack', 'false')
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const body = Buffer.from(await request.arrayBuffer())
      requests.push(`${request.method} ${pathname} ${/command=[\w-]+/.exec(body.toString('latin1'))?.[0] ?? ''}`.trim())
      const { authorization } = started
      if (authorization !== null && request.headers.get('authorization') !== authorization)
        return new Response('', { status: 401 })
      const backendEnvironment = {
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method,
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        CONTENT_TYPE: request.headers.get('content-type') ?? '',
        GIT_PROTOCOL: request.headers.get('git-protocol') ?? '',
        REMOTE_ADDR: '127.0.0.1',
        PATH: process.env['PATH'] ?? '',
      }
      const child = Bun.spawn([backend], { stdin: body, stdout: 'pipe', stderr: 'ignore', env: backendEnvironment })
      return answerOf(Buffer.from(await new Response(child.stdout).arrayBuffer()))
    },
  })
  const started: GitServer = {
    url: `http://127.0.0.1:${server.port}/repo/.git`,
    folder: work,
    requests,
    authorization: null,
    git,
    commit(files) {
      for (const [name, content] of Object.entries(files)) {
        const path = join(work, name)
        mkdirSync(dirname(path), { recursive: true })
        if (content === null) rmSync(path)
        else writeFileSync(path, content)
      }
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '-m', 'A change')
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true)
      rmSync(root, { recursive: true, force: true })
    },
  }
  return started
}

/** What a CGI program has written: headers, then the body. */
function answerOf(output: Buffer): Response {
  const end = output.indexOf('\r\n\r\n')
  const lines = output.toString('latin1', 0, end).split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]))
  const status = Number.parseInt(headers.get('status') ?? '200', 10)
  headers.delete('status')
  return new Response(output.subarray(end + 4), { status, headers })
}
