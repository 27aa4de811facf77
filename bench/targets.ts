/** What is measured: each target is one process that answers the same requests from the same upstream. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from './gateway.ts'
import type { Destination } from './http-client.ts'
import { freePort, outputOf, root, untilAnswers, type Workshop } from './processes.ts'
import { requestBody, type ProfileName } from './profiles.ts'

export const targetNames = ['direct', 'nginx', 'bare', 'sluice', 'portkey'] as const
export type TargetName = (typeof targetNames)[number]

export interface Target {
  readonly name: string
  /** The process whose CPU time and memory are counted, with its children. */
  readonly pid: number
  destination(profile: ProfileName): Destination
}

export interface Fleet {
  readonly upstreamPort: number
  readonly targets: readonly Target[]
}

/** Starts the upstream and these targets; those that are not installed are left out, with a word about it. */
export async function startFleet(workshop: Workshop, names: readonly TargetName[]): Promise<Fleet> {
  const upstream = await workshop.startServer('upstream.ts')
  const starters: Record<TargetName, () => Promise<Target | null>> = {
    direct: () => Promise.resolve(plainTarget('direct', upstream.child.pid, upstream.port)),
    nginx: () => startNginx(workshop, upstream.port),
    bare: () => startBareProxy(workshop, upstream.port),
    sluice: () => startSluice(workshop, upstream.port),
    portkey: () => startPortkey(workshop, upstream.port),
  }
  const targets: Target[] = []
  for (const name of names) {
    const target = await starters[name]()
    if (target === null) console.error(`${name}: not installed, left out`)
    else targets.push(target)
  }
  return { upstreamPort: upstream.port, targets }
}

/** A target that passes paths on as they are. */
function plainTarget(name: TargetName, pid: number, port: number): Target {
  return {
    name,
    pid,
    destination: (profile) => ({
      port,
      path: `/${profile}/v1/chat/completions`,
      headers: {},
      body: requestBody(profile),
    }),
  }
}

async function startNginx(workshop: Workshop, upstreamPort: number): Promise<Target | null> {
  const binary = Bun.which('nginx', { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` })
  if (binary === null) return null
  const port = freePort()
  const folder = workshop.folder
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`)
  const configuration = `
    daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx-error.log;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 8192; }
    http {
      access_log off; ${temporary.join(' ')}
      upstream bench { server 127.0.0.1:${upstreamPort}; keepalive 256; keepalive_requests 1000000000; }
      server {
        listen 127.0.0.1:${port}; keepalive_requests 1000000000;
        location / {
          proxy_pass http://bench; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
        }
      }
    }`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration)
  const child = workshop.start('nginx', [binary, '-e', join(folder, 'nginx-error.log'), '-c', file])
  await untilAnswers(`http://127.0.0.1:${port}/stats`, child)
  return plainTarget('nginx', child.pid, port)
}

async function startBareProxy(workshop: Workshop, upstreamPort: number): Promise<Target> {
  const { child, port } = await workshop.startServer('bare-proxy.ts', `http://127.0.0.1:${upstreamPort}`)
  return plainTarget('bare', child.pid, port)
}

async function startSluice(workshop: Workshop, upstreamPort: number): Promise<Target | null> {
  if (!existsSync(join(root, 'src/main.ts'))) return null
  const { pid, port, key } = await startGateway(workshop, upstreamPort)
  const headers = { authorization: `Bearer ${key}` }
  const path = '/ai/v1/chat/completions'
  return { name: 'sluice', pid, destination: (profile) => ({ port, path, headers, body: requestBody(profile) }) }
}

/** Portkey's open-source gateway; it has no users, keys or limits to switch on. */
async function startPortkey(workshop: Workshop, upstreamPort: number): Promise<Target | null> {
  const entry = join(root, 'bench/portkey/node_modules/@portkey-ai/gateway/build/start-server.js')
  const node = Bun.which('node')
  if (node === null || !existsSync(entry)) return null
  const port = freePort()
  const child = workshop.start('portkey', [node, entry, '--headless', `--port=${port}`])
  await untilAnswers(`http://127.0.0.1:${port}/`, child)
  const destination = (profile: ProfileName): Destination => ({
    port,
    path: '/v1/chat/completions',
    headers: {
      authorization: 'Bearer bench',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/${profile}/v1`,
    },
    body: requestBody(profile),
  })
  return { name: 'portkey', pid: child.pid, destination }
}

/** Installs the peer of bench/portkey. */
export async function installPortkey(): Promise<void> {
  await outputOf(['npm', 'ci', '--prefix', join(root, 'bench/portkey')])
}
