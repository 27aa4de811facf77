/**
 * What does the scan over the codes alone cost, and a restart from their file? `bun bench/search/codes.ts [chunks]`:
 * random codes of 384 dimensions, 1,000,000 when absent, in sets of ten, without a database. Figures go to stdout.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCodeFile, writeCodeFile } from '#store/documents/search/code-file.ts'
import { CodeIndex } from '#store/documents/search/code-index.ts'
import { scaleUnit, signCoder } from '#store/documents/indexing/sign-code.ts'

const total = Number(process.argv[2] ?? 1_000_000)
const perSet = 10
const runs = 15
const coder = signCoder(384)
const codeBytes = coder.words * 4
const scales = new Uint8Array(Uint16Array.from({ length: 2 * perSet }, () => scaleUnit).buffer)
const sets = { setRowOf: (slot: number) => slot + 1, markOf: () => 1 }

function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The least and the middle one: others use the machine too. */
function report(what: string, work: () => unknown): void {
  const times = Array.from({ length: runs }, () => cpuOf(work)).sort((a, b) => a - b)
  console.log(`${what.padEnd(44)} CPU least ${times[0]?.toFixed(1)} ms, median ${times[runs >> 1]?.toFixed(1)} ms`)
}

/** What the kernel counts, in plain code. */
function countPlainly(codes: Uint32Array, query: Uint32Array): number {
  let sum = 0
  for (let at = 0; at < codes.length; at += 1) {
    let bits = (codes[at] ?? 0) ^ (query[at % query.length] ?? 0)
    bits -= (bits >>> 1) & 0x55555555
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
    sum += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return sum
}

const index = new CodeIndex(coder)
for (let slot = 0; slot < total / perSet; slot += 1) {
  const codes = crypto.getRandomValues(new Uint8Array(perSet * codeBytes))
  index.add(slot, [{ centre: 0, first: 0, codes, scales }])
}
console.log(`${(index.bytes / total).toFixed(1)} bytes a chunk`)
const vector = Float32Array.from({ length: 384 }, () => Math.random() - 0.5)
const nearest = (has: (slot: number) => boolean) => () =>
  index.nearest({ vector, has, setRowOf: sets.setRowOf, count: 3072, wanted: 50 })
report(
  'nearest, everything',
  nearest(() => true),
)
report(
  'nearest, every hundredth set',
  nearest((slot) => slot % 100 === 0),
)
const codes = new Uint32Array(total * coder.words)
for (let at = 0; at < codes.length; at += 16_384) crypto.getRandomValues(codes.subarray(at, at + 16_384))
report('counting bits in plain code', () => countPlainly(codes, codes.subarray(0, coder.words)))

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-codes-'))
try {
  const file = join(folder, 'space-1.codes')
  await writeCodeFile(file, index, sets)
  const readAgain = (): void => {
    using read = openCodeFile(file, codeBytes)
    const again = new CodeIndex(coder)
    read?.addTo(
      again,
      (setRow) => setRow - 1,
      () => undefined,
    )
  }
  report('reading the file of codes', readAgain)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
