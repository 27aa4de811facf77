import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signCoder } from '../indexing/sign-code.ts'
import { openCodeFile, writeCodeFile } from './code-file.ts'
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
    using read = openCodeFile(file, 12)!
    expect(read.centres).toEqual(new Set([0, 1, 2]))
    // Each process numbers slots in its own order.
    const wanted: readonly ((setRow: number) => boolean)[] = [
      () => true,
      (setRow) => setRow % 4 !== 0,
      (setRow) => setRow === 101,
      () => false,
    ]
    for (const wants of wanted) {
      const again = new CodeIndex(coder)
      const slotOf = (setRow: number, mark: number): number | null =>
        wants(setRow) && mark === sets.markOf(setRow - 100) ? 500 - setRow : null
      const added = new Set<number>()
      read.addTo(again, slotOf, (slot) => added.add(slot))
      const found = new Map<number, CodePiece[]>()
      for (const { slot, ...piece } of again.pieces()) {
        const copy = { ...piece, codes: piece.codes.slice(), scales: piece.scales.slice() }
        found.set(400 - slot, [...(found.get(400 - slot) ?? []), copy])
      }
      const expected = new Map([...written].filter(([slot]) => slot !== 13 && wants(slot + 100)))
      expect([...found.keys()].toSorted((x, y) => x - y)).toEqual([...expected.keys()])
      expect(new Set(added)).toEqual(new Set([...expected.keys()].map((slot) => 400 - slot)))
      for (const [slot, pieces] of expected) {
        const inOrder = found.get(slot)!.toSorted((x, y) => x.first - y.first)
        expect(
          inOrder.map(({ codes, scales, ...rest }) => ({ ...rest, codes: [...codes], scales: [...scales] })),
        ).toEqual(pieces.map(({ codes, scales, ...rest }) => ({ ...rest, codes: [...codes], scales: [...scales] })))
      }
    }
    const none = new CodeIndex(coder)
    read.addTo(
      none,
      (setRow, mark) => (mark === sets.markOf(setRow - 100) + 1 ? 1 : null),
      () => undefined,
    )
    expect([...none.pieces()]).toEqual([])
    const bytes = readFileSync(file)
    for (const length of [0, 3, 15, 16, 1000, bytes.length - 1]) {
      writeFileSync(file, bytes.subarray(0, length))
      expect(openCodeFile(file, 12)).toBeNull()
    }
    writeFileSync(file, bytes)
    expect(openCodeFile(file, 16)).toBeNull()
    expect(openCodeFile(join(folder, 'none'), 12)).toBeNull()
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
      using read = openCodeFile(file, writtenByTurns.codeBytes)!
      const index = new CodeIndex(signCoder(8 * writtenByTurns.codeBytes))
      read.addTo(
        index,
        (setRow, mark) => (mark === 1 ? setRow - 1 : null),
        () => undefined,
      )
      const turns = Array.from(index.pieces(), ({ codes }) => codes[0])
      expect([turns.length, new Set(turns).size]).toEqual([writtenByTurns.sets, 1])
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
