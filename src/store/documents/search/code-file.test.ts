import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signCoder } from '../indexing/sign-code.ts'
import { readCodeFile, writeCodeFile } from './code-file.ts'
import { CodeIndex, type CodePiece } from './code-index.ts'
import { writtenByTurns } from '#test/support/store/write-codes.ts'

const sets = { setRowOf: (slot: number) => 100 + slot, markOf: (slot: number) => slot * 7 }

test('every set comes back as it was, and none whose mark has changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-codes-'))
  try {
    const file = join(folder, 'search', 'space-1.codes')
    const coder = signCoder(96)
    const index = new CodeIndex(coder)
    const written = new Map<number, readonly CodePiece[]>()
    for (let slot = 0; slot < 50; slot += 1) {
      const pieces = [0, 1, 2].slice(0, (slot % 3) + 1).map((number) => {
        const vectors = Array.from({ length: number + 2 }, () => Float32Array.from({ length: 96 }, Math.random))
        return { centre: number, first: number * 10, ...coder.encodeAll(vectors, null) }
      })
      index.add(slot, pieces)
      written.set(slot, pieces)
    }
    index.remove(13)
    await writeCodeFile(file, index, sets)
    expect(readdirSync(join(folder, 'search'))).toEqual(['space-1.codes'])
    const read = readCodeFile(file, 12)!
    for (const [slot, pieces] of written) {
      const mark = sets.markOf(slot)
      const expected = pieces.map((piece) => ({ ...piece, codes: [...piece.codes], scales: [...piece.scales] }))
      const found = read.piecesOf(100 + slot, mark)?.map((piece) => ({
        ...piece,
        codes: [...piece.codes],
        scales: [...piece.scales],
      }))
      expect(found ?? null).toEqual(slot === 13 ? null : expected)
      expect(read.piecesOf(100 + slot, mark + 1)).toBeNull()
    }
    expect(read.piecesOf(99, 0)).toBeNull()
    const bytes = readFileSync(file)
    for (const length of [0, 3, 15, 16, 1000, bytes.length - 1]) {
      writeFileSync(file, bytes.subarray(0, length))
      expect(readCodeFile(file, 12)).toBeNull()
    }
    writeFileSync(file, bytes)
    expect(readCodeFile(file, 16)).toBeNull()
    expect(readCodeFile(join(folder, 'none'), 12)).toBeNull()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a process that is killed while it writes leaves the file of before or a whole new one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-codes-'))
  try {
    const file = join(folder, 'space-1.codes')
    for (let kill = 0; kill < 6; kill += 1) {
      const script = join(import.meta.dir, '../../../../test/support/store/write-codes-process.ts')
      const writer = Bun.spawn([process.execPath, script, file], { stdout: 'pipe', stderr: 'inherit' })
      // It says so after each write: the kill comes somewhere in one of the next.
      const dots = writer.stdout.getReader()
      for (let written = 0; written < 3 + kill;) written += (await dots.read()).value?.length ?? 1
      writer.kill('SIGKILL')
      await writer.exited
      const read = readCodeFile(file, writtenByTurns.codeBytes)!
      const turns = Array.from(
        { length: writtenByTurns.sets },
        (_each, slot) => read.piecesOf(slot + 1, 1)?.[0]?.codes[0],
      )
      expect(new Set(turns).size).toBe(1)
    }
    const [stale, fresh] = [`${file}.stale`, `${file}.fresh`]
    for (const name of [stale, fresh]) writeFileSync(name, 'half')
    utimesSync(stale, 1, 1)
    await writeCodeFile(file, new CodeIndex(signCoder(96)), sets)
    expect(readdirSync(folder)).not.toContain('space-1.codes.stale')
    expect(readdirSync(folder)).toContain('space-1.codes.fresh')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
