/**
 * How well files are read, against texts that are known to be right: `npx bun bench/reading/run.ts FOLDER`.
 *
 * FOLDER holds files of any format and, for each, what it says as Markdown: beside it as `<file>.md`, or below a folder
 * `groundtruth` under that name, which is the layout of docling's `tests/data`. `--against pdftotext` takes the words of
 * poppler instead, for PDFs without a known text: agreement, not truth. `--files` prints a row for each file.
 */
import { basename, extname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob } from 'bun'
import { ReadFailure } from '#readers/reading.ts'
import { readFile } from '#readers/readers.ts'
import { scoreOf, type Score } from './score.ts'

const limits = { textMax: 50_000_000, pagesMax: 20_000, unpackedBytesMax: 268_435_456 }
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' }, files: { type: 'boolean', default: false } },
})
const [folder] = positionals
if (folder === undefined || (values.against !== undefined && values.against !== 'pdftotext')) {
  console.error('Use: npx bun bench/reading/run.ts FOLDER [--against pdftotext] [--files]')
  process.exit(2)
}

interface Result {
  readonly file: string
  readonly format: string
  readonly score: Score | null
  readonly failure: string | null
  readonly cpuMs: number
}

const results: Result[] = []
const truths = truthsIn(folder)
for (const file of [...new Glob('**/*').scanSync(folder)].toSorted()) {
  const truth = values.against === 'pdftotext' ? byPoppler(join(folder, file)) : await truthOf(folder, file)
  if (truth !== null) results.push(await measure(folder, file, truth))
}
print()

/** Paths of known texts by the name of the file that they are of. */
function truthsIn(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const path of new Glob('**/groundtruth/**/*.md').scanSync(root))
    found.set(basename(path, '.md'), join(root, path))
  return found
}

async function truthOf(root: string, file: string): Promise<string | null> {
  if (file.includes('groundtruth/')) return null
  const beside = Bun.file(join(root, `${file}.md`))
  if (await beside.exists()) return beside.text()
  const path = truths.get(basename(file))
  return path === undefined ? null : Bun.file(path).text()
}

function byPoppler(path: string): string | null {
  if (extname(path).toLowerCase() !== '.pdf') return null
  const { stdout, exitCode } = Bun.spawnSync(['pdftotext', '-q', path, '-'])
  const text = stdout.toString()
  return exitCode === 0 && text.trim() !== '' ? text : null
}

async function measure(root: string, file: string, truth: string): Promise<Result> {
  const bytes = await Bun.file(join(root, file)).bytes()
  const before = process.cpuUsage()
  const read = await readFile({ bytes, name: basename(file), reader: 'auto', limits }).catch((thrown: unknown) => {
    if (thrown instanceof ReadFailure) return thrown
    throw thrown
  })
  const { user, system } = process.cpuUsage(before)
  const about = { file, format: extname(file).slice(1).toLowerCase(), cpuMs: (user + system) / 1000 }
  if (read instanceof ReadFailure) return { ...about, score: null, failure: read.code }
  return { ...about, score: scoreOf(truth, read.text), failure: null }
}

function print(): void {
  console.log('| | files | failed | word recall | precision | three-gram recall | rows intact | CPU ms a file |')
  console.log('|---|---:|---:|---:|---:|---:|---:|---:|')
  const formats = [...new Set(results.map(({ format }) => format))].toSorted()
  for (const format of formats)
    row(
      format,
      results.filter((result) => result.format === format),
    )
  if (values.files) for (const result of results) row(`${result.file} ${result.failure ?? ''}`, [result])
}

/** Means over the files; rows of tables are counted together. */
function row(name: string, of: readonly Result[]): void {
  const scores = of.flatMap(({ score }) => (score === null ? [] : [score]))
  const mean = (pick: (score: Score) => number): string =>
    scores.length === 0 ? '–' : (scores.reduce((sum, score) => sum + pick(score), 0) / scores.length).toFixed(3)
  const rows = scores.reduce((sum, score) => sum + score.rows, 0)
  const intact = scores.reduce((sum, score) => sum + score.rowsIntact, 0)
  const cells = [
    name.trim(),
    of.length,
    of.length - scores.length,
    mean(({ wordRecall }) => wordRecall),
    mean(({ wordPrecision }) => wordPrecision),
    mean(({ trigramRecall }) => trigramRecall),
    rows === 0 ? '–' : `${(intact / rows).toFixed(3)} of ${rows}`,
    (of.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / of.length).toFixed(0),
  ]
  console.log(`| ${cells.join(' | ')} |`)
}
