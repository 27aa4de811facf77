/**
 * The ranks of src and the floors inside its folders, read from the tables in docs/decisions/layers.md,
 * and what is made from them. The tables are the only place where they are written by hand.
 */

/** Folders of src, and files beside them, by rank; the index is the rank. */
export type Ranks = readonly (readonly string[])[]

/** The rows `| 2 | \`identity\`, \`http\` |` of the decision, in order and without gaps. */
export function parseRanks(decision: string): Ranks {
  const rows = [...decision.matchAll(/^\| *(\d+) *\|(.*)\|$/gm)]
  return rows.map((row, index) => {
    if (Number(row[1]) !== index) throw new Error(`docs/decisions/layers.md: the row of rank ${index} is missing`)
    return namesIn(row[2] ?? '')
  })
}

/** The floors of a folder: names of its children from the bottom up. `*.ts` is every file that has no place of its own. */
export type Floors = readonly (readonly string[])[]

const otherFiles = '*.ts'

/** The rows `| \`gateway\` | \`request\` < \`relay\` |` of the decision, by folder. */
export function parseFloors(decision: string): ReadonlyMap<string, Floors> {
  const rows = decision.matchAll(/^\| *`([a-z0-9/-]+)` *\|(.*<.*)\|$/gm)
  return new Map([...rows].map((row) => [row[1] ?? '', (row[2] ?? '').split(' < ').map(namesIn)]))
}

/** Why a file may not import another, as far as the floors of the folders around both decide it; null when it may. */
export function floorProblem(floors: ReadonlyMap<string, Floors>, importer: string, target: string): string | null {
  for (const [folder, order] of floors) {
    if (!importer.startsWith(`${folder}/`) || !target.startsWith(`${folder}/`)) continue
    const [from, to] = [importer, target].map((path) => placeIn(order, path.slice(folder.length + 1)))
    if (from === undefined || to === undefined) return `${folder} has a child without a floor`
    if (from.name !== to.name && to.floor >= from.floor)
      return `inside ${folder}, ${from.name} (floor ${from.floor}) must not import ${to.name} (floor ${to.floor})`
  }
  return null
}

function placeIn(order: Floors, path: string): { readonly name: string; readonly floor: number } | undefined {
  const child = path.split('/')[0] ?? path
  const floorOf = (name: string): number => order.findIndex((names) => names.includes(name))
  const name = floorOf(child) < 0 && isFile(child) ? otherFiles : child
  return floorOf(name) < 0 ? undefined : { name, floor: floorOf(name) }
}

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map((name) => name[1] ?? '')
}

/** The same rules for oxlint: one override for each rank that has folders, as lines of .oxlintrc.json. */
export function lintOverrides(ranks: Ranks): string {
  const lines = ranks.map((layers, rank) => {
    const folders = foldersOf(layers)
    if (folders.length === 0) return ''
    const below = ranks.slice(0, rank).flat()
    // Only names with a #: a path with ../ may lead to a folder of the same name below, which scripts/check-layers.ts tells apart.
    const closed = [...foldersOf(ranks.slice(rank).flat()), ...(below.some(isFile) ? [] : ['src']), 'test']
    const regex = `^#(${closed.join('|')})/`
    const message = `Layers: rank ${rank} imports lower ranks by their # names, and its own folder as ./x.ts. See docs/decisions/layers.md.`
    const rules = { 'eslint/no-restricted-imports': ['error', { patterns: [{ regex, message }] }] }
    const files = folders.map((folder) => `src/${folder}/**`)
    return `    ${JSON.stringify({ files, excludeFiles: ['**/*.test.ts'], rules })},`
  })
  return lines.filter((line) => line !== '').join('\n')
}

function isFile(layer: string): boolean {
  return layer.endsWith('.ts')
}

function foldersOf(layers: readonly string[]): readonly string[] {
  return layers.filter((layer) => !isFile(layer))
}
