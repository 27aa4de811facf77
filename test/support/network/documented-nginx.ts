/** nginx before several processes, with the configuration that docs/several-processes.md gives, or another one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'

/** Where nginx is; null when it is not installed. */
export const nginx = Bun.which('nginx', { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` })

/** The block that docs/several-processes.md gives, with these addresses in place of its own. */
function documentedConfiguration(ports: readonly number[]): string {
  const page = readFileSync(new URL('../../../docs/several-processes.md', import.meta.url), 'utf8')
  const block = /```nginx\n([\s\S]*?)```/.exec(page)?.[1]
  if (block === undefined) throw new Error('docs/several-processes.md has no block for nginx')
  const [line = ''] = /server 10\.0\.0\.1:3001[^\n]*\n/.exec(block) ?? []
  const servers = ports.map((port) => line.replace('10.0.0.1:3001', `127.0.0.1:${port}`))
  return block.replace(/server 10\.0\.0\.2:3001[^\n]*\n/, '').replace(line, servers.join(''))
}

/** Starts nginx before the processes at these ports. @param block what goes into its http block */
export async function startNginx(
  ports: readonly number[],
  block = documentedConfiguration(ports),
): Promise<AsyncDisposable & { readonly port: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
  const port = await freePort()
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const configuration = block.replace(/listen [^;]+;/, `listen 127.0.0.1:${port};`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
     events {} http { access_log off; ${paths.join(' ')} ${configuration} }`,
  )
  const child = Bun.spawn([
    String(nginx),
    '-p',
    folder,
    '-c',
    join(folder, 'nginx.conf'),
    '-e',
    join(folder, 'error.log'),
  ])
  await until(
    async () =>
      child.exitCode !== null ||
      (await fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => true,
        () => false,
      )),
  )
  if (child.exitCode !== null) throw new Error(`nginx: ${readFileSync(join(folder, 'error.log'), 'utf8')}`)
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
      rmSync(folder, { recursive: true })
    },
  }
}
