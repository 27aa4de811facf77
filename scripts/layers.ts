/**
 * The ranks of src, read from the table in docs/decisions/layers.md, and what is made from them. The
 * table is the only place where they are written by hand.
 */

/** Folders of src, and files beside them, by rank; the index is the rank. */
export type Ranks = readonly (readonly string[])[]

/** The rows `| 2 | \`identity\`, \`http\` |` of the decision, in order and without gaps. */
export function parseRanks(decision: string): Ranks {
  const rows = [...decision.matchAll(/^\| *(\d+) *\|(.*)\|$/gm)]
  return rows.map((row, index) => {
    if (Number(row[1]) !== index) throw new Error(`docs/decisions/layers.md: the row of rank ${index} is missing`)
    return [...(row[2] ?? '').matchAll(/`([^`]+)`/g)].map((name) => name[1] ?? '')
  })
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
