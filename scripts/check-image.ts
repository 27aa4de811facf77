/**
 * Builds the image of the Dockerfile with buildah and runs it, on a machine that may reach no registry of images: its two base
 * images are made here under their names, of Debian packages and of this machine's Node. Checks its size, its user, its health
 * check, that it serves with a root file system that cannot be written, and that it answers a chat.
 *
 * `bun scripts/check-image.ts`, as root, with `buildah` and `debootstrap`; says what is missing and exits with 2 otherwise. Images
 * and containers are in a folder of their own, which is removed at the end.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const work = mkdtempSync(join(tmpdir(), 'sluice-image-'))
const bytesMax = 250_000_000
const suite = 'bookworm'
/** What the distroless image of C programs consists of. */
const basePackages = [
  'base-files',
  'netbase',
  'tzdata',
  'ca-certificates',
  'libc6',
  'libssl3',
  'openssl',
  'libgcc-s1',
  'gcc-12-base',
  'libgomp1',
  'libstdc++6',
]
const nobody = 65532
const certificates = '/etc/ssl/certs/ca-certificates.crt'

function missing(): string | null {
  if (process.getuid?.() !== 0) return 'root'
  return ['buildah', 'debootstrap', 'dpkg-deb', 'unshare'].find((name) => Bun.which(name) === null) ?? null
}

/** Standard output of a command that must succeed. */
async function run(command: readonly string[], cwd = work): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0)
    throw new Error(`${command.join(' ')}\n${stdout.slice(-2000)}\n${stderr.slice(-4000)}`)
  return stdout.trim()
}

const storage = ['--root', join(work, 'storage'), '--runroot', join(work, 'run')]
const buildah = (...args: readonly string[]): Promise<string> => run(['buildah', ...storage, ...args], root)

/** Makes an image of a folder. */
async function imageOf(folder: string, name: string, settings: readonly string[]): Promise<void> {
  const container = await buildah('from', 'scratch')
  await buildah('add', '--quiet', container, folder, '/')
  await buildah('config', ...settings, container)
  await buildah('commit', '--quiet', container, name)
  await buildah('rm', container)
}

/** The base of the last stage: the packages unpacked, without what manages packages, and a user. */
async function makeFinalBase(): Promise<void> {
  const [packages, folder] = [join(work, 'packages'), join(work, 'final')]
  for (const each of [packages, folder]) mkdirSync(each)
  await run(['apt-get', 'download', ...basePackages], packages)
  for (const file of new Bun.Glob('*.deb').scanSync(packages))
    await run(['dpkg-deb', '-x', join(packages, file), folder])
  for (const name of ['doc', 'man', 'locale', 'lintian'])
    rmSync(join(folder, 'usr/share', name), { recursive: true, force: true })
  mkdirSync(join(folder, 'etc/ssl/certs'), { recursive: true })
  cpSync(certificates, join(folder, certificates), { dereference: true })
  writeFileSync(
    join(folder, 'etc/passwd'),
    `root:x:0:0::/root:/sbin/nologin\nnonroot:x:${nobody}:${nobody}::/:/sbin/nologin\n`,
  )
  writeFileSync(join(folder, 'etc/group'), `root:x:0:\nnonroot:x:${nobody}:\n`)
  await imageOf(folder, 'gcr.io/distroless/cc-debian12:nonroot', ['--user', `${nobody}:${nobody}`])
}

/** The base of the first stage: a small Debian with the Node and npm of this machine. */
async function makeBuildBase(): Promise<void> {
  const folder = join(work, 'build')
  await run(['debootstrap', '--variant=minbase', suite, folder])
  const node = await run(['node', '-p', 'process.execPath'])
  const modules = await run(['npm', 'root', '--global'])
  cpSync(node, join(folder, 'usr/bin/node'))
  cpSync(join(modules, 'npm'), join(folder, 'usr/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    await run(['ln', '-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(folder, 'usr/bin', name)])
  mkdirSync(join(folder, 'etc/ssl/certs'), { recursive: true })
  cpSync(certificates, join(folder, certificates), { dereference: true })
  // As on this machine, whose certificates may not be Node's own.
  const settings = ['--env', `NODE_EXTRA_CA_CERTS=${certificates}`, '--env', `SSL_CERT_FILE=${certificates}`]
  await imageOf(folder, 'docker.io/library/node:22-bookworm-slim', settings)
}

interface ImageSettings {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Volumes: Readonly<Record<string, unknown>>
  readonly Healthcheck: { readonly Test: readonly string[] }
}

interface Container {
  readonly folder: string
  readonly settings: ImageSettings
  readonly port: number
}

/** Runs a program of the image as its user, below a root that cannot be written except for its volumes and /tmp. */
function start({ folder, settings, port }: Container, command: readonly string[]) {
  const mounts = [
    'mount --make-rprivate /',
    `mount --bind ${folder} ${folder}`,
    `mount -o remount,bind,ro ${folder}`,
    ...Object.keys(settings.Volumes).map((path) => `mount --bind ${work}/volume ${folder}${path}`),
    `mount -t tmpfs tmpfs ${folder}/tmp`,
    `mount -t proc proc ${folder}/proc`,
    `! touch ${folder}/written 2>/dev/null`,
  ]
  const environment = [...settings.Env, 'SLUICE_SERVER_HOST=127.0.0.1', `SLUICE_SERVER_PORT=${port}`]
  const program = ['env', '-i', ...environment, '/usr/sbin/chroot', `--userspec=${settings.User}`, folder, ...command]
  const script = `set -e; ${mounts.join('; ')}; exec "$@"`
  return Bun.spawn(['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh', ...program], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
}

/** Starts the server, asks for its health and for a chat, and stops it. */
async function serve(container: Container): Promise<void> {
  const { settings, port } = container
  const server = start(container, [...settings.Entrypoint, ...settings.Cmd])
  let report = ''
  const decoder = new TextDecoder()
  for await (const piece of server.stdout) {
    report += decoder.decode(piece, { stream: true })
    if (report.includes('/ai/v1/chat/completions')) break
  }
  const key = /sk-slu-\w+/.exec(report)?.[0]
  if (key === undefined) throw new Error(`the server did not start: ${report}`)
  const [kind, ...healthCommand] = settings.Healthcheck.Test
  const health = start(container, healthCommand)
  if (kind !== 'CMD' || (await health.exited) !== 0) throw new Error('the health check failed')
  const answer = await fetch(`http://127.0.0.1:${port}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  if (answer.status !== 200) throw new Error(`a chat was answered with ${answer.status}`)
  server.kill('SIGKILL')
  await server.exited
}

async function check(): Promise<void> {
  await makeFinalBase()
  await makeBuildBase()
  await buildah(
    'bud',
    '--isolation',
    'chroot',
    '--network',
    'host',
    '--pull-never',
    '--format',
    'docker',
    '--tag',
    'sluice',
    '.',
  )
  const inspected = JSON.parse(await buildah('inspect', '--type', 'image', 'sluice')) as {
    readonly Docker: { readonly config: ImageSettings; readonly size?: number }
  }
  const settings = inspected.Docker.config
  const [{ size = '' } = {}] = JSON.parse(await buildah('images', '--json', 'sluice')) as readonly {
    readonly size?: string
  }[]
  const name = await buildah('from', '--pull-never', 'sluice')
  const folder = await buildah('mount', name)
  const bytes = Number((await run(['du', '--summarize', '--bytes', folder])).split('\t')[0])
  const [uid = 0] = settings.User.split(':').map(Number)
  const shell = ['bin/sh', 'usr/bin/npm', 'usr/bin/node', 'usr/bin/dpkg'].find((path) => existsSync(join(folder, path)))
  mkdirSync(join(work, 'volume'))
  await run(['chown', settings.User, join(work, 'volume')])
  await serve({ folder, settings, port: 30_000 + (process.pid % 20_000) })
  console.log(
    `image ${size} (${(bytes / 1e6).toFixed(0)} MB of files), user ${settings.User}, root read-only: serves, healthy`,
  )
  if (bytes > bytesMax) throw new Error(`The image has more than ${bytesMax / 1e6} MB.`)
  if (uid === 0) throw new Error('The image runs as root.')
  if (shell !== undefined) throw new Error(`The image holds /${shell}.`)
  if (readFileSync(join(root, 'Dockerfile'), 'utf8').includes('--mount=type=cache') === false)
    throw new Error('The build does not keep npm’s cache.')
  await buildah('umount', name)
}

const lacks = missing()
if (lacks !== null) {
  console.error(`The image was not built: ${lacks} is needed.`)
  process.exitCode = 2
} else {
  try {
    await check()
  } finally {
    await buildah('umount', '--all').catch(() => undefined)
    rmSync(work, { recursive: true, force: true })
  }
}
