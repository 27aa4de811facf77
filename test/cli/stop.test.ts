/** How the server ends, and that it starts again whatever the end was. */
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Installation, type RunningServer } from './sluice.ts'

async function startWithKey(sluice: Installation): Promise<{ server: RunningServer; key: string }> {
  const server = await sluice.start(['--json'])
  return { server, key: server.started.first_start!.api_key }
}

/** Resolves when the server says that it is not ready any more: the signal has been handled. */
async function isDraining(address: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${address}/readyz`, { keepalive: false })
    await response.arrayBuffer()
    if (response.status === 503) return
  }
}

describe('SIGTERM', () => {
  test('lets a running stream finish, and the exit code is 0', async () => {
    await using sluice = new Installation()
    const { server, key } = await startWithKey(sluice)
    const response = await server.chat(key, '/pace 25 /long 60')
    const reader = response.body!.getReader()
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader.read()).value, { stream: true })
    server.child.kill('SIGTERM')
    await isDraining(server.address)
    expect(text).not.toContain('[DONE]')
    for (let part = await reader.read(); !part.done; part = await reader.read())
      text += decoder.decode(part.value, { stream: true })
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
    expect((await server.finished()).code).toBe(0)
    expect(existsSync(join(sluice.dataDirectory, 'control.sock'))).toBe(false)
  })

  test('reaches the server through "npm start", which runs the script in a shell', async () => {
    await using sluice = new Installation()
    const root = join(import.meta.dir, '..', '..')
    const { scripts } = (await Bun.file(join(root, 'package.json')).json()) as { scripts: { start: string } }
    const shell = Bun.spawn(['/bin/sh', '-c', `${scripts.start} --json`], {
      cwd: root,
      env: sluice.environment,
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const report = shell.stdout.getReader()
    await report.read()
    shell.kill('SIGTERM')
    expect(await shell.exited).toBe(0)
    expect(existsSync(join(sluice.dataDirectory, 'control.sock'))).toBe(false)
  })

  test('a second time ends the process at once with exit code 1', async () => {
    await using sluice = new Installation()
    const { server, key } = await startWithKey(sluice)
    const response = await server.chat(key, '/pace 10000')
    const reader = response.body!.getReader()
    await reader.read()
    server.child.kill('SIGTERM')
    await isDraining(server.address)
    server.child.kill('SIGTERM')
    expect((await server.finished()).code).toBe(1)
    await reader.cancel().catch(() => {})
  })

  test('ends streams that outlast server.drain_seconds with an error and no [DONE]', async () => {
    await using sluice = new Installation({ SLUICE_SERVER_DRAIN_SECONDS: '0.2' })
    const { server, key } = await startWithKey(sluice)
    const response = await server.chat(key, '/pace 10000')
    server.child.kill('SIGTERM')
    const text = await response.text()
    expect(text).not.toContain('[DONE]')
    expect(text).toContain('"error"')
    expect((await server.finished()).code).toBe(0)
  })
})

describe('SIGKILL', () => {
  test('loses no acknowledged change, and the next start works', async () => {
    await using sluice = new Installation()
    const { server, key } = await startWithKey(sluice)
    const { secret } = await sluice.json<{ secret: string }>(['keys', 'create', 'kept', '--user', 'admin@localhost'])
    await server.kill()
    expect(existsSync(join(sluice.dataDirectory, 'control.sock'))).toBe(true)
    const again = await sluice.start(['--json'])
    expect(again.started.first_start).toBeNull()
    expect(await again.statusWith(key)).toBe(200)
    expect(await again.statusWith(secret)).toBe(200)
    expect((await again.stop()).code).toBe(0)
  })
})
