/**
 * A server that may open no more files: imports are refused with 503 for the while, and go on afterwards.
 * It is a process of its own, limited from outside, and connections take all that it may still open.
 */
import { readdirSync } from 'node:fs'
import { expect, test } from 'bun:test'
import { RawClient, rawRequest, type RawRequest } from '#test/support/network/raw-client.ts'
import { until } from '#test/support/until.ts'
import { Installation } from '../cli/sluice.ts'

const canLimit = process.platform === 'linux' && Bun.which('prlimit') !== null

/** Asks over a connection that is open already, since a new one would need a descriptor. */
async function ask(
  client: RawClient,
  request: RawRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const before = client.text.length
  client.write(rawRequest(request))
  const answer = (): string => client.text.slice(before)
  await until(() => {
    const [head = '', ...body] = answer().split('\r\n\r\n')
    const length = /^content-length: (\d+)$/im.exec(head)?.[1]
    return length !== undefined && Buffer.byteLength(body.join('\r\n\r\n')) >= Number(length)
  })
  return { status: Number(answer().split(' ')[1]), text: answer() }
}

test.skipIf(!canLimit)('is refused as overloaded, seen by /readyz, and passes', async () => {
  await using installation = new Installation()
  const server = await installation.start(['--json'])
  const { port } = new URL(server.address)
  const key = server.started.first_start?.api_key ?? ''
  const importOf = (text: string): RawRequest => ({
    key,
    path: '/api/v1/documents',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ files: [{ name: 'a.txt', category: 'notes', bytes: text }] }),
  })
  const ready: RawRequest = { key, method: 'GET', path: '/readyz' }
  using client = new RawClient(Number(port))
  expect(await ask(client, importOf('the first text'))).toMatchObject({ status: 202 })
  await until(async () =>
    (await ask(client, { key, method: 'GET', path: '/api/v1/documents?state=completed' })).text.includes('"doc_id"'),
  )

  const open = (): number[] => readdirSync(`/proc/${server.child.pid}/fd`).map(Number)
  const limit = Math.max(...open()) + 17
  expect(Bun.spawnSync(['prlimit', `--pid=${server.child.pid}`, `--nofile=${limit}:`]).exitCode).toBe(0)
  using fillers = new DisposableStack()
  // A few more than there is room for: whatever the server closes meanwhile, one of them takes.
  for (let left = limit - open().length + 8; left > 0; left -= 1) fillers.use(new RawClient(Number(port)))
  await until(() => open().length >= limit)

  const refused = await ask(client, importOf('a text of its own'))
  const unready = await ask(client, ready)
  expect([refused.status, unready.status]).toEqual([503, 503])
  expect([refused.text, unready.text]).toEqual([
    expect.stringContaining('"overloaded"'),
    expect.stringContaining('"overloaded"'),
  ])
  fillers.dispose()
  await until(async () => (await ask(client, ready)).status === 200)
  expect(await ask(client, importOf('a text of its own'))).toMatchObject({ status: 202 })
})
