import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChunkRecord } from '../reading/chunk-record.ts'
import { chunkBatches } from './chunk-batches.ts'

const directory = mkdtempSync(join(tmpdir(), 'sluice-batches-'))
afterAll(() => rmSync(directory, { recursive: true }))

function chunkOf(text: string, at: number): ChunkRecord {
  return { start: at, end: at + 1, page: null, pageLabel: null, headingPath: [], tableHeader: null, tokens: 1, text }
}

async function batchesOf(chunks: readonly ChunkRecord[]): Promise<readonly (readonly ChunkRecord[])[]> {
  writeFileSync(join(directory, 'chunks.jsonl'), chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(''))
  return Array.fromAsync(chunkBatches(directory))
}

test('every chunk comes once, in order, whatever its text holds', async () => {
  const texts = ['plain', 'two\nlines', 'carriage\r\nreturn', 'separators \u2028 \u2029 \u0085', '"quoted" \\ 🐘', '']
  const chunks = Array.from({ length: 1000 }, (_, at) => chunkOf(texts[at % texts.length] ?? '', at))
  const batches = await batchesOf(chunks)
  expect(batches.flat()).toEqual(chunks)
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(256)
})

test('long chunks come few at a time', async () => {
  const chunks = Array.from({ length: 20 }, (_, at) => chunkOf('x'.repeat(200_000), at))
  const batches = await batchesOf(chunks)
  expect(batches.flat()).toHaveLength(20)
  for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(3)
})

test('without chunks there is no batch', async () => {
  expect(await batchesOf([])).toEqual([])
})

test('a file that is not there is an error, not an end', async () => {
  const missing = Array.fromAsync(chunkBatches(join(directory, 'missing')))
  expect(await missing.catch((thrown: unknown) => (thrown as { code?: string }).code)).toBe('ENOENT')
})
