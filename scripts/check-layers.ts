/**
 * Checks the import order of src, between its folders and inside them (docs/decisions/layers.md), and that what is made from it is true:
 * the layer table in ARCHITECTURE.md and the overrides in .oxlintrc.json, which show the same rules
 * while typing. `--write` updates both. Tests may import what they need.
 */
import { dirname, join, normalize } from 'node:path'
import { floorProblem, lintOverrides, parseFloors, parseRanks } from './layers.ts'

const root = join(import.meta.dir, '..')
const decision = await Bun.file(join(root, 'docs/decisions/layers.md')).text()
const ranks = parseRanks(decision)
const floors = parseFloors(decision)
const rankOf = new Map(ranks.flatMap((layers, rank) => layers.map((layer) => [layer, rank] as const)))
const importPattern = /^\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

const problems: string[] = []
const importsOf = new Map<string, Set<string>>()
const foldersIn = new Map<string, Set<string>>()
for (const file of [...new Bun.Glob('**/*.ts').scanSync(join(root, 'src'))].sort()) {
  if (file.endsWith('.test.ts')) continue
  noteFolders(file)
  await checkFile(file)
}
for (const [folder, children] of foldersIn) {
  if (children.size > 1 && !floors.has(folder))
    problems.push(`src/${folder} has no row of floors in docs/decisions/layers.md`)
}
console.log(layerTable())
await checkBlock('ARCHITECTURE.md', ['<!-- layers:begin -->', '<!-- layers:end -->'], layerTable())
await checkBlock('.oxlintrc.json', ['// layers:begin', '// layers:end'], lintOverrides(ranks))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)

/** Notes which folders have folders of their own: with two or more, their order must be written down. */
function noteFolders(file: string): void {
  const parts = dirname(file).split('/')
  for (let depth = 1; depth < parts.length; depth++)
    foldersIn.getOrInsertComputed(parts.slice(0, depth).join('/'), () => new Set()).add(parts[depth] ?? '')
}

async function checkFile(file: string): Promise<void> {
  const own = layerOf(file)
  const ownRank = rankOf.get(own)
  if (ownRank === undefined) return void problems.push(`src/${file}: ${own} has no rank in docs/decisions/layers.md`)
  const seen = importsOf.getOrInsertComputed(own, () => new Set())
  const text = await Bun.file(join(root, 'src', file)).text()
  for (const match of text.matchAll(importPattern)) {
    const specifier = match[1] ?? match[2] ?? ''
    const path = pathOf(specifier, file)
    if (path === null) continue
    const target = layerOf(path)
    const floor = floorProblem(floors, file, path)
    if (floor !== null) problems.push(`src/${file}: ${floor}: ${specifier}`)
    if (target === own) continue
    const targetRank = rankOf.get(target)
    if (targetRank !== undefined && targetRank < ownRank) seen.add(target)
    // The files of src are one folder and know each other.
    else if (targetRank !== ownRank || !own.endsWith('.ts'))
      problems.push(`src/${file}: rank ${ownRank} (${own}) must not import ${specifier} (rank ${targetRank ?? 'none'})`)
    if (specifier.startsWith('../')) problems.push(`src/${file}: write ${specifier} as #${target}/…`)
  }
}

/** The path below src that an import leads to; null for packages and for what is not source, as package.json. */
function pathOf(specifier: string, importer: string): string | null {
  if (specifier.endsWith('.json')) return null
  if (specifier.startsWith('#')) return specifier.replace(/^#(src\/)?/, '')
  return specifier.startsWith('.') ? normalize(join(dirname(importer), specifier)) : null
}

function layerOf(path: string): string {
  return path.split('/')[0] ?? path
}

function layerTable(): string {
  const rows = ranks.flatMap((layers, rank) => layers.map((layer) => ({ layer, rank, seen: importsOf.get(layer) })))
  const lines = rows
    .filter((row) => row.seen !== undefined)
    .map(({ layer, rank, seen }) => `| ${rank} | \`${layer}\` | ${[...(seen ?? [])].sort().join(', ') || 'nothing'} |`)
  return ['| rank | layer | imports |', '|---|---|---|', ...lines].join('\n')
}

async function checkBlock(path: string, marks: readonly [string, string], content: string): Promise<void> {
  const file = Bun.file(join(root, path))
  const text = (await file.exists()) ? await file.text() : ''
  const begin = text.indexOf(marks[0]) + marks[0].length
  const end = text.lastIndexOf('\n', text.indexOf(marks[1]))
  if (!text.includes(marks[0]) || end < begin) return void problems.push(`${path} has no ${marks.join(' … ')}`)
  const wanted = `${text.slice(0, begin)}\n${content}${text.slice(end)}`
  if (process.argv.includes('--write')) await Bun.write(file, wanted)
  else if (wanted !== text) problems.push(`${path} shows other layers: run "bun scripts/check-layers.ts --write"`)
}
