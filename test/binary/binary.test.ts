/** The one-file binary, alone in an empty folder: what a person does with it on a machine without anything else. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBinary } from '../../scripts/build-binary.ts'
import { Installation, type RunningServer } from '../cli/sluice.ts'
import { RawClient } from '#test/support/network/raw-client.ts'
import { writePdf } from '#test/support/documents/pdf-writer.ts'

const root = join(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'sluice-binary-'))
const program = join(folder, 'sluice')
let alone: Installation
let server: RunningServer
let key: string

beforeAll(async () => {
  const console = Bun.spawn([process.execPath, 'scripts/build-ui.ts', '--if-missing'], { cwd: root, stdout: 'ignore' })
  expect(await console.exited).toBe(0)
  await buildBinary({ out: program })
  // No PATH: neither Bun nor Node nor a shell can be what it runs on.
  alone = new Installation({ PATH: '' }, program)
  server = await alone.start(['--json'])
  key = server.started.first_start?.api_key ?? ''
}, 120_000)
afterAll(async () => {
  await alone[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const call = (model: string): Promise<Response> =>
  fetch(`${server.address}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(), 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }),
  })
const bearer = (): Record<string, string> => ({ authorization: `Bearer ${key}` })

describe('the binary', () => {
  test('has at most 150 MB', () => {
    expect(statSync(program).size).toBeLessThanOrEqual(150_000_000)
  })

  test('starts for the first time with a key whose chat is streamed to its end', async () => {
    const text = await (await server.chat(key, 'Hello!')).text()
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
  })

  test('serves the console with all that its page loads', async () => {
    const page = await fetch(server.address, { headers: { accept: 'text/html' } })
    const html = await page.text()
    expect([page.status, html]).toEqual([200, readFileSync(join(root, 'ui/dist/index.html'), 'utf8')])
    const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(loaded.some((path) => path.endsWith('.js'))).toBe(true)
    for (const path of loaded) {
      const { status, headers } = await fetch(server.address + path)
      expect([path, status, headers.get('content-encoding') ?? 'identity']).toEqual([
        path,
        200,
        expect.stringMatching(path.endsWith('.js') ? /^br$/ : /./),
      ])
    }
  })

  test('imports a PDF and finds it: WebAssembly, the reading processes and the threads are in it', async () => {
    const pages = [{ texts: [{ x: 72, y: 700, size: 12, text: 'Every employee has thirty days of paid leave.' }] }]
    const imported = await fetch(`${server.address}/api/v1/documents`, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: JSON.stringify({
        files: [{ name: 'leave.pdf', category: 'notes', bytes: Buffer.from(writePdf({ pages })).toString('base64') }],
        wait_for_completion: true,
      }),
    })
    expect(await imported.json()).toMatchObject({ accepted: [{ state: 'completed' }] })
    const found = await fetch(`${server.address}/api/v1/search`, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'days of paid leave' }),
    })
    expect(JSON.stringify(await found.json())).toContain('thirty days of paid leave')
  })

  test('answers reports and lists of requests, which threads of the store read', async () => {
    const { secret } = await alone.json<{ secret: string }>([
      'keys',
      'create',
      'a',
      '--user',
      'admin@localhost',
      '--admin',
    ])
    const headers = { authorization: `Bearer ${secret}` }
    expect((await fetch(`${server.address}/admin/api/v1/requests`, { headers })).status).toBe(200)
  })

  test('runs more requests to providers at once than the runtime does by itself', async () => {
    const together = 300
    const all = Promise.withResolvers<void>()
    let arrived = 0
    using upstream = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      async fetch() {
        arrived += 1
        if (arrived === together) all.resolve()
        await all.promise
        return Response.json({ object: 'chat.completion', model: 'slow', choices: [] })
      },
    })
    await alone.json(['providers', 'add', 'slow', '--base-url', `${upstream.url.origin}/v1`, '--no-models'])
    await alone.json(['models', 'add', 'slow', '--provider', 'slow'])
    const body = JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'Hello!' }] })
    const head = `POST /ai/v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`
    // Sockets: the fetch of a test has the same bound.
    const clients = Array.from({ length: together }, () => new RawClient(Number(new URL(server.address).port)))
    for (const client of clients) client.write(head + body)
    await Promise.all(clients.map(({ closed }) => closed))
    expect(new Set(clients.map(({ text }) => text.split('\r\n', 1)[0]))).toEqual(new Set(['HTTP/1.1 200 OK']))
  })

  test('takes no script but its own from the command line', async () => {
    const script = join(alone.directory, 'script.js')
    writeFileSync(script, 'console.log("run")')
    const { code, stdout } = await alone.run(['--run-own-script', script])
    expect([code, stdout]).toEqual([2, ''])
  })

  test('loads a package that was installed beside it', async () => {
    const place = join(folder, 'node_modules/vendor-package')
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'package.json'), '{"name":"vendor-package","version":"1.0.0","main":"index.cjs"}')
    writeFileSync(join(place, 'index.cjs'), 'exports.createVendor = () => { throw new Error("the package was run") }')
    await alone.json(['providers', 'add', 'v', '--kind', 'ai-sdk', '--option', 'package=vendor-package', '--no-models'])
    await alone.json(['models', 'add', 'v', '--provider', 'v'])
    await call('v')
    expect(JSON.stringify(await alone.json(['providers', 'list']))).toContain('vendor-package')
    const { stderr } = await server.stop()
    expect(stderr).toContain('the package was run')
  })

  test('starts again on the data of another start, elsewhere', async () => {
    const again = await alone.start(['--json'])
    expect(again.started.first_start).toBeNull()
    expect(await again.statusWith(key)).toBe(200)
    expect((await again.stop()).code).toBe(0)
  })
})
