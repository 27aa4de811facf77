import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readImageHeader } from '#lib/image-header.ts'
import { ReadFailure, type ReadLimits } from '#readers/reading.ts'
import { unrulyScript, unrulyWork } from '#test/support/documents/unruly-reading.ts'
import { until } from '#test/support/until.ts'
import type { ChunkRecord } from './chunk-record.ts'
import { ReadingStopped } from './reading-child.ts'
import { ReadingPool, type ReadingPoolOptions } from './reading-pool.ts'

const directory = mkdtempSync(join(tmpdir(), 'reading-pool-'))
afterAll(() => rmSync(directory, { recursive: true }))

const chunker = { name: 'token', units: 100, overlap: 0, tokenizer: 'cl100k_base' } as const
const limits: ReadLimits = { textMax: 10_000_000, pagesMax: 1_000, unpackedBytesMax: 10_000_000 }

function poolOf(options: Partial<ReadingPoolOptions> = {}): ReadingPool {
  return new ReadingPool({ size: 1, timeMaxMs: 600_000, memoryBytesMax: 2e9, ...options })
}
function unrulyPool(options: Partial<ReadingPoolOptions> = {}): ReadingPool {
  return poolOf({ script: unrulyScript, ...options })
}

/** Without a table of cross-references, which PDFium makes up for. */
const onePagePdf = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]>> endobj
trailer <</Root 1 0 R>>
`

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'done',
    (thrown: unknown) => thrown,
  )
}
async function codeOf(work: Promise<unknown>): Promise<unknown> {
  const thrown = await caught(work)
  return thrown instanceof ReadFailure ? thrown.code : thrown
}
/** After it, what `run` has been given is with a process. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // Ended, and not yet collected by the process that adopted it.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

function readingOf(name: string, content: string | Uint8Array, reader = 'auto') {
  const file = join(directory, `source-${name}`)
  writeFileSync(file, content)
  return { file, name, reader, limits, chunker, directory: folder(`of-${name}`) }
}
function folder(name: string): string {
  const path = join(directory, name)
  mkdirSync(path, { recursive: true })
  return path
}
async function chunksIn(target: string): Promise<readonly ChunkRecord[]> {
  const lines = (await Bun.file(join(target, 'chunks.jsonl')).text()).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as ChunkRecord)
}

describe('a file', () => {
  test('is read and cut, and tells between the two that it was read', async () => {
    await using pool = poolOf()
    const work = readingOf('note.md', '# Plan 😀\n\ntext\n')
    const chunking: number[] = []
    expect(await pool.run('read', work, { onChunking: (pages) => chunking.push(pages) })).toEqual({
      mediaType: 'text/markdown',
      title: 'Plan 😀',
      warnings: [],
      pages: 0,
      characters: 14,
      chunks: 1,
      stated: {},
    })
    expect(chunking).toEqual([0])
    expect(await chunksIn(work.directory)).toMatchObject([
      { start: 0, end: 14, headingPath: ['Plan 😀'], text: '# Plan 😀\n\ntext' },
    ])
  })

  test('that no reader takes is refused with its code and sentence, and the process goes on', async () => {
    await using pool = poolOf()
    const thrown = await caught(pool.run('read', readingOf('a.rar', Buffer.from('526172211a0700', 'hex'))))
    expect(thrown).toBeInstanceOf(ReadFailure)
    expect(thrown).toMatchObject({ code: 'unsupported_type', message: expect.stringContaining('ZIP') as string })
    const [pid] = pool.pids
    await pool.run('read', readingOf('b.txt', 'text'))
    expect(pool.pids).toEqual([pid ?? 0])
  })

  test('that is missing fails without its path', async () => {
    await using pool = poolOf()
    const thrown = await caught(pool.run('read', { ...readingOf('c.txt', 'c'), file: join(directory, 'missing') }))
    expect(thrown).toMatchObject({ code: 'damaged' })
    expect(String(thrown)).not.toContain(directory)
  })

  test('is made of pages that a vision model has written', async () => {
    await using pool = poolOf()
    const target = folder('assembled')
    const facts = await pool.run('assemble', {
      directory: target,
      texts: ['# One\n\na', '', '| h |\n| --- |\n| x |'],
      mediaType: 'application/pdf',
      warnings: ['w'],
      limits,
      chunker: { ...chunker, name: 'page', units: 1 },
    })
    expect(facts).toMatchObject({ mediaType: 'application/pdf', title: 'One', pages: 3, warnings: ['w'] })
    expect(await chunksIn(target)).toMatchObject([
      { page: 1, text: '# One\n\na\n\n' },
      { page: 3, text: '| h |\n| --- |\n| x |' },
    ])
  })
})

describe('a text', () => {
  test('is cut into chunks whose offsets count code points and whose slices are the text', async () => {
    await using pool = poolOf()
    const words = Array.from({ length: 400 }, (_, at) => `word${at} 😀`).join(' ')
    const work = readingOf('long.md', `# One\n\n${words}\n\n## Two\n\nend`)
    const { characters, chunks: count } = await pool.run('read', work)
    const text = Array.from(`# One\n\n${words}\n\n## Two\n\nend`)
    const records = await chunksIn(work.directory)
    expect(records.length).toBe(count)
    expect(count).toBeGreaterThan(5)
    let end = 0
    for (const record of records) {
      expect(record.start).toBe(end)
      expect(text.slice(record.start, record.end).join('')).toBe(record.text)
      expect(record.tokens).toBeLessThanOrEqual(100)
      if (record.start > 0) expect(record.headingPath[0]).toBe('One')
      end = record.end
    }
    expect(end).toBe(characters)
  })
})

test('a page of a PDF is drawn as a PNG', async () => {
  await using pool = poolOf()
  const { file } = readingOf('page.pdf', onePagePdf)
  const answer = await pool.run('render', { file, directory, page: 1, pixelsMax: 250_000 })
  expect(answer).toEqual({ image: join(directory, 'page-1.png'), pages: 1 })
  const header = readImageHeader(readFileSync(answer.image))
  expect(header).toMatchObject({ format: 'png', complete: true })
  expect((header?.width ?? 0) * (header?.height ?? 0)).toBeLessThanOrEqual(250_000)
  expect(await codeOf(pool.run('render', { file, directory, page: 2, pixelsMax: 250_000 }))).toBeString()
})

describe('an operation', () => {
  test('past its time is ended as too_complex, with its process', async () => {
    await using pool = unrulyPool({ timeMaxMs: 500 })
    const running = pool.run('read', unrulyWork('loop'))
    expect(await codeOf(running)).toBe('too_complex')
    expect(pool.pids).toEqual([])
  })

  test.skipIf(process.platform !== 'linux')('on many pages has time for each of them on top', async () => {
    const work = unrulyWork('pages')
    await using pool = unrulyPool({ timeMaxMs: 300 })
    await pool.run('read', work)
    const bounds = { timeMaxMs: 300, memoryBytesMax: 1e9, extra: { pageMs: 0.1, pictureMs: 0, millionCharactersMs: 0 } }
    expect(await codeOf(pool.run('read', work, { bounds }))).toBe('too_complex')
  })

  test.skipIf(process.platform !== 'linux')(
    'that gets little of the machine takes its time: only its own work counts',
    async () => {
      await using pool = unrulyPool({ timeMaxMs: 500, stillMaxMs: 60_000 })
      await pool.run('read', unrulyWork('gentle'))
      const startedAt = performance.now()
      await pool.run('read', unrulyWork('starve'))
      // More than four times what it may work.
      expect(performance.now() - startedAt).toBeGreaterThan(2000)
    },
  )

  test.skipIf(process.platform !== 'linux')('that does nothing any more is ended, and can be tried again', async () => {
    await using pool = unrulyPool({ stillMaxMs: 300 })
    await pool.run('read', unrulyWork('gentle'))
    expect(await caught(pool.run('read', unrulyWork('hang')))).toBeInstanceOf(ReadingStopped)
    expect(pool.pids).toEqual([])
  })

  test('past its memory is ended as too_complex, with its process', async () => {
    await using pool = unrulyPool({ memoryBytesMax: 400_000_000 })
    expect(await codeOf(pool.run('read', unrulyWork('grow')))).toBe('too_complex')
    expect(pool.pids).toEqual([])
  })

  test.each([
    ['exit', 'damaged'],
    ['segfault', 'damaged'],
    ['killed', 'too_complex'],
  ])('whose process breaks down (%s) fails as %s', async (harm, code) => {
    await using pool = unrulyPool()
    expect(await codeOf(pool.run('read', unrulyWork(harm)))).toBe(code)
  })

  test('whose process is stopped from outside can be tried again', async () => {
    await using pool = unrulyPool()
    expect(await caught(pool.run('read', unrulyWork('terminated')))).toBeInstanceOf(ReadingStopped)
    await pool.run('read', unrulyWork('gentle'))
  })

  test('whose process does not even start is not the file’s fault', async () => {
    await using pool = poolOf({ script: join(directory, 'missing.ts') })
    expect(await caught(pool.run('read', unrulyWork('gentle')))).toBeInstanceOf(ReadingStopped)
  })

  test('that breaks down leaves those beside it and behind it alone', async () => {
    await using pool = unrulyPool({ size: 2 })
    const beside = new AbortController()
    const hanging = caught(pool.run('read', unrulyWork('hang'), { signal: beside.signal }))
    const broken = codeOf(pool.run('read', unrulyWork('exit')))
    const behind = pool.run('read', unrulyWork('gentle'))
    expect(await broken).toBe('damaged')
    expect((await behind).mediaType).toBe('text/plain')
    expect(pool.load).toEqual({ active: 1, waiting: 0 })
    beside.abort(new Error('enough'))
    expect(await hanging).toEqual(new Error('enough'))
  })

  test('that is aborted rejects with the reason when its process is gone', async () => {
    await using pool = unrulyPool()
    const controller = new AbortController()
    await pool.run('read', unrulyWork('gentle'))
    const running = caught(pool.run('read', unrulyWork('loop'), { signal: controller.signal }))
    await nextTurn()
    const [pid = 0] = pool.pids
    controller.abort(new Error('deleted'))
    expect(await running).toEqual(new Error('deleted'))
    expect(isAlive(pid)).toBe(false)
  })

  test('that is aborted while it waits leaves the queue', async () => {
    await using pool = unrulyPool()
    const first = new AbortController()
    const second = new AbortController()
    const running = caught(pool.run('read', unrulyWork('hang'), { signal: first.signal }))
    const waiting = caught(pool.run('read', unrulyWork('gentle'), { signal: second.signal }))
    expect(pool.load).toEqual({ active: 1, waiting: 1 })
    second.abort(new Error('left'))
    expect(await waiting).toEqual(new Error('left'))
    expect(pool.load).toEqual({ active: 1, waiting: 0 })
    first.abort(new Error('end'))
    await running
  })
})

describe('the pool', () => {
  test('never has more processes than its size, and uses them again', async () => {
    await using pool = unrulyPool({ size: 2 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => pool.run('read', unrulyWork('gentle'))))
    expect(new Set(answers.map(({ characters }) => characters)).size).toBeLessThanOrEqual(2)
    expect(pool.pids.length).toBeLessThanOrEqual(2)
  })

  test('replaces a process after its number of operations', async () => {
    await using pool = unrulyPool({ operationsMax: 2 })
    const pids: number[] = []
    for (let at = 0; at < 4; at += 1) pids.push((await pool.run('read', unrulyWork('gentle'))).characters)
    expect(pids[0]).toBe(pids[1] ?? 0)
    expect(pids[2]).toBe(pids[3] ?? 0)
    expect(pids[1]).not.toBe(pids[2] ?? 0)
  })

  test('replaces a process that keeps much memory', async () => {
    await using pool = unrulyPool({ keptBytesMax: 150_000_000 })
    await pool.run('read', unrulyWork('keep'))
    expect(pool.pids).toEqual([])
  })

  test('ends a process that has nothing to do', async () => {
    await using pool = unrulyPool({ idleMs: 1 })
    await pool.run('read', unrulyWork('gentle'))
    await until(() => pool.pids.length === 0)
  })

  test('passes no variable of its environment on', async () => {
    process.env['SLUICE_TEST_SECRET'] = 'secret'
    await using pool = unrulyPool()
    const { warnings } = await pool.run('read', unrulyWork('environment'))
    delete process.env['SLUICE_TEST_SECRET']
    expect(warnings).toContain('LANG')
    expect(warnings).not.toContain('SLUICE_TEST_SECRET')
    expect(warnings).not.toContain('PATH')
  })

  test('once closed has no process and takes no work; what ran and waited can be tried again', async () => {
    const pool = unrulyPool()
    await pool.run('read', unrulyWork('gentle'))
    const running = caught(pool.run('read', unrulyWork('loop')))
    const waiting = caught(pool.run('read', unrulyWork('gentle')))
    await nextTurn()
    const [pid = 0] = pool.pids
    await pool.close()
    await pool.close()
    expect(isAlive(pid)).toBe(false)
    for (const work of [running, waiting, caught(pool.run('read', unrulyWork('gentle')))]) {
      expect(await work).toBeInstanceOf(ReadingStopped)
    }
  })

  test.each(['hang', ...(process.platform === 'linux' ? ['loop'] : [])])(
    'leaves no process behind when its owner is killed (%s)',
    async (harm) => {
      const script = fileURLToPath(new URL('../../../test/support/documents/reading-pool-owner.ts', import.meta.url))
      const owner = Bun.spawn([process.execPath, script, harm], { stdout: 'pipe', stderr: 'inherit' })
      const { value } = await owner.stdout.getReader().read()
      const pid = Number(Buffer.from(value ?? []).toString())
      expect(isAlive(pid)).toBe(true)
      owner.kill('SIGKILL')
      await owner.exited
      await until(() => !isAlive(pid))
    },
  )
})
