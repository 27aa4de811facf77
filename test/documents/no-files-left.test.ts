/** A process that may open no more files: imports are refused with 503 for the while, and go on afterwards. */
import { dlopen, FFIType } from 'bun:ffi'
import { closeSync, openSync, readdirSync } from 'node:fs'
import { expect, test } from 'bun:test'
import { documentsOfFile, eventually } from '#test/support/app/documents-app.ts'

const isLinux = process.platform === 'linux'
const app = documentsOfFile()
const limitOnFiles = 7

/** Runs with no file descriptor left: the limit is what is open now, and the gaps below it are filled. */
async function withoutFiles<T>(run: () => Promise<T>): Promise<T> {
  const args = [FFIType.int, FFIType.ptr]
  const { symbols } = dlopen('libc.so.6', {
    getrlimit: { args, returns: FFIType.int },
    setrlimit: { args, returns: FFIType.int },
  })
  const before = new BigUint64Array(2)
  expect(symbols.getrlimit(limitOnFiles, before)).toBe(0)
  const open = Math.max(...readdirSync('/proc/self/fd').map(Number))
  expect(symbols.setrlimit(limitOnFiles, new BigUint64Array([BigInt(open), before[1]!]))).toBe(0)
  const fillers = filled()
  try {
    return await run()
  } finally {
    for (const filler of fillers) closeSync(filler)
    expect(symbols.setrlimit(limitOnFiles, before)).toBe(0)
  }
}

function filled(): readonly number[] {
  const fillers: number[] = []
  for (;;) {
    try {
      fillers.push(openSync('/dev/null', 'r'))
    } catch {
      return fillers
    }
  }
}

/** Without a socket, which takes a descriptor too. */
function ask(method: string, path: string, body?: object): Promise<Response> {
  const request = new Request(`http://localhost${path}`, { method, ...(body && { body: JSON.stringify(body) }) })
  return app().app.handleTrusted(request)
}

test.skipIf(!isLinux)('is refused as overloaded, seen by /readyz, and passes', async () => {
  const body = (text: string) => ({ files: [{ name: 'a.txt', category: 'notes', bytes: text }] })
  expect((await ask('POST', '/api/v1/documents', body('the first text'))).status).toBe(202)
  await eventually(async () => (await app().listed('?state=completed', { key: app().keys.admin })).length === 1)
  const [refused, ready] = await withoutFiles(async () => [
    await ask('POST', '/api/v1/documents', body('a text of its own')),
    await ask('GET', '/readyz'),
  ])
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'overloaded' } }])
  expect([ready.status, await ready.json()]).toMatchObject([503, { error: { code: 'overloaded' } }])
  app().advance(1001)
  expect((await ask('GET', '/readyz')).status).toBe(200)
  expect((await ask('POST', '/api/v1/documents', body('a text of its own'))).status).toBe(202)
})
