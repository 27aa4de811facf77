/**
 * What large files cost the reading process: `npx bun bench/reading/large.ts`. 45 MB of prose (made of sentences with
 * new words), and a PDF of 2,476 dense pages; each is read and cut in a process of its own, as the server does it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveChunker } from '#chunkers/chunkers.ts'
import { operations } from '#documents/reading/operations.ts'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'

const words = 'the quick brown fox jumps over a lazy dog while seven wizards mix potions of zinc and amber'.split(' ')
let seed = 7
const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff
const sentence = (length: number): string =>
  Array.from({ length }, () => words[Math.floor(random() * words.length)]).join(' ')

const cases: Readonly<Record<string, () => Uint8Array>> = {
  'prose of 45 MB': () => {
    const paragraphs: string[] = []
    for (let bytes = 0, at = 0; bytes < 45_000_000; at += 1) {
      const paragraph = `${Array.from({ length: 6 }, () => `${sentence(14)} n${at}.`).join(' ')}\n\n`
      paragraphs.push(paragraph)
      bytes += paragraph.length
    }
    return Buffer.from(paragraphs.join(''))
  },
  'PDF of 2,476 pages': () =>
    writePdf({
      pages: Array.from({ length: 2476 }, (_, at) => ({
        texts: [
          ...column(['Handbook of everything'], { y: 815 }),
          ...column(
            Array.from({ length: 58 }, () => sentence(14)),
            { y: 780 },
          ),
          ...column([`Page ${at + 1}`], { y: 30 }),
        ],
      })),
    }),
}

const [, , asked, file = '', directory = ''] = process.argv
if (asked === undefined) measureAll()
else await measure(asked, file, directory)

function measureAll(): void {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-reading-'))
  console.log(
    '| | characters | chunks | read, s of CPU | cut, s of CPU | peak memory, MB |\n|---|---:|---:|---:|---:|---:|',
  )
  for (const [name, make] of Object.entries(cases)) {
    const path = join(folder, 'file')
    writeFileSync(path, make())
    const env = { ...process.env, BUN_JSC_forceRAMSize: '1073741824' }
    const { stdout } = Bun.spawnSync([process.execPath, import.meta.path, name, path, folder], {
      env,
      stderr: 'inherit',
    })
    process.stdout.write(stdout)
  }
  rmSync(folder, { recursive: true })
}

async function measure(name: string, path: string, folder: string): Promise<void> {
  const resolved = resolveChunker('token', {})
  if (resolved.kind !== 'resolved') throw new Error('There is no chunker "token".')
  const limits = { textMax: 50_000_000, pagesMax: 20_000, unpackedBytesMax: 268_435_456 }
  const seconds = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6
  const start = seconds()
  let read = start
  const work = { file: path, name: 'file', reader: 'auto', limits, chunker: resolved.chunker, directory: folder }
  const answer = await operations.read(work, { chunking: () => (read = seconds()), working: async () => {} })
  const peak = /VmHWM:\s*(\d+)/.exec(await Bun.file('/proc/self/status').text())?.[1] ?? '0'
  const figures = [answer.characters, answer.chunks, (read - start).toFixed(1), (seconds() - read).toFixed(1)]
  console.log(`| ${[name, ...figures, Math.round(Number(peak) / 976.6)].join(' | ')} |`)
}
