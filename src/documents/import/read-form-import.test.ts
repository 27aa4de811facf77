import { createHash } from 'node:crypto'
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { ApiError } from '#errors/api-error.ts'
import { contextWithBody } from '#test/support/app/request-context.ts'
import { Spool } from '../blobs/spool.ts'
import { readFormImport } from './read-form-import.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-form-'))
const spool = new Spool(directory)
afterAll(async () => {
  await spool[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

const limits = { bytesMax: 1_000_000, readSeconds: 60 }

/** Reads a form whose bytes come in these pieces. */
async function read(form: Buffer, cuts: readonly number[] = []) {
  const ends = [...cuts.map((cut) => cut % form.length).toSorted((a, b) => a - b), form.length]
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const [at, end] of ends.entries()) {
        const piece = form.subarray(ends[at - 1] ?? 0, end)
        if (piece.length > 0) controller.enqueue(new Uint8Array(piece))
      }
      controller.close()
    },
  })
  const context = await contextWithBody(body)
  const { items, options } = await readFormImport(context, { boundary: 'xyz', limits, fileBytesMax: 5000, spool })
  const seen = items.map(({ origin, ...item }) => ({
    ...item,
    origin: origin.kind === 'received' ? origin.received.sha256 : origin.kind,
  }))
  for (const { origin } of items) if (origin.kind === 'received') await spool.discard(origin.received)
  return { items: seen, options }
}

function part(name: string, content: string | Uint8Array, fileName?: string): Buffer {
  const file = fileName === undefined ? '' : `; filename="${fileName}"`
  const head = `--xyz\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')])
}
const end = Buffer.from('--xyz--\r\n')
const digest = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Files that are in the spool. */
function spooled(): readonly string[] {
  return existsSync(directory) ? readdirSync(directory).flatMap((own) => readdirSync(join(directory, own))) : []
}

test('however the bytes arrive, the same items and options come of them, and the exact contents', async () => {
  const awkward = Buffer.from('\r\n--xy\r\n--\r\n\r\n-xyz --xyz\0\xff', 'latin1')
  const form = Buffer.concat([
    part('chunker', '{"name":"token","units":9}'),
    part('files', awkward, 'awkward.bin'),
    part('chunk_overlap', '3'),
    part('owners', 'everyone'),
    part('owners', 'group:team'),
    part('files[]', '', 'empty.txt'),
    part('category', 'forms'),
    part('metadata', '{"year": 2024}'),
    part('wait_for_completion', 'true'),
    end,
  ])
  const whole = await read(form)
  const common = {
    category: 'forms',
    path: '',
    docId: null,
    source: null,
    metadata: { year: 2024 },
    owners: ['everyone', 'group:team'],
    fault: null,
    warnings: [],
  }
  expect(whole).toEqual({
    items: [
      { ...common, name: 'awkward.bin', origin: digest(awkward) },
      { ...common, name: 'empty.txt', origin: digest('') },
    ],
    options: {
      reader: undefined,
      chunker: { name: 'token', units: 9 },
      embedder: undefined,
      chunkUnits: null,
      chunkOverlap: 3,
      wait: true,
      warnings: [],
    },
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(), { maxLength: 30 }), async (cuts) => {
      expect(await read(form, cuts)).toEqual(whole)
    }),
    { numRuns: 100 },
  )
  expect(spooled()).toEqual([])
})

test('a file above the limit is an item that says so, and nothing of it is kept', async () => {
  const form = Buffer.concat([
    part('files', 'x'.repeat(5001), 'large.txt'),
    part('files', 'small', 'small.txt'),
    part('category', 'c'),
    end,
  ])
  const { items } = await read(form)
  expect(items.map(({ name, origin }) => [name, origin])).toEqual([
    ['large.txt', 'too_large'],
    ['small.txt', digest('small')],
  ])
  expect(spooled()).toEqual([])
})

test('a form that is refused at any point leaves nothing in the spool', async () => {
  const form = Buffer.concat([part('files', 'content of a file', 'a.txt'), part('category', 'c'), end])
  for (let length = 0; length < form.length - 4; length += 3) {
    const thrown = await read(form.subarray(0, length)).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(ApiError)
    expect(spooled()).toEqual([])
  }
})

test('a file without a name gets one, and a part that is not a field of an import has a warning', async () => {
  const nameless = await read(Buffer.concat([part('files', 'a', ''), part('category', 'c'), end]))
  expect(nameless.items[0]?.name).toBe('unnamed')
  const unknown = Buffer.concat([part('files', 'a', 'a'), part('category', 'c'), part('colour', 'red'), end])
  expect((await read(unknown)).options.warnings).toEqual(['The field "colour" is not known and was ignored.'])
  expect(spooled()).toEqual([])
})
