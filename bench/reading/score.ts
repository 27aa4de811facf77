/** How much of a text that is known to be right another text has: words, runs of three words, rows of tables. */

export interface Score {
  /** Share of the words of the truth that the reading has, each as often. */
  readonly wordRecall: number
  /** Share of the words of the reading that the truth has. */
  readonly wordPrecision: number
  /** Share of the truth's runs of three words that the reading has: words in order. */
  readonly trigramRecall: number
  /** Rows of the truth's tables, and those of them that the reading has as rows with the same cells in the same order. */
  readonly rows: number
  readonly rowsIntact: number
}

/** Letters and digits alone, in one case: how a format writes a heading or a list is not compared. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

export function scoreOf(truth: string, reading: string): Score {
  const [right, found] = [wordsOf(withoutMarkup(truth)), wordsOf(withoutMarkup(reading))]
  const common = commonCount(right, found)
  const rows = rowsOf(truth)
  const known = new Set(rowsOf(reading))
  return {
    wordRecall: right.length === 0 ? 1 : common / right.length,
    wordPrecision: found.length === 0 ? 1 : common / found.length,
    trigramRecall: right.length < 3 ? 1 : commonCount(runs(right), runs(found)) / (right.length - 2),
    rows: rows.length,
    rowsIntact: rows.filter((row) => known.has(row)).length,
  }
}

/** Without comments, pictures, entities and escapes of Markdown, which do not belong to the text of the file. */
function withoutMarkup(markdown: string): string {
  return markdown
    .replace(/<!--[^]*?-->/g, ' ')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\]\([^)]*\)/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('\\', '')
}

function commonCount(right: readonly string[], found: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of right) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    common += 1
    left.set(word, count - 1)
  }
  return common
}

function runs(words: readonly string[]): string[] {
  return words.slice(2).map((word, at) => `${words[at]} ${words[at + 1]} ${word}`)
}

/** The rows of Markdown tables by the words of their cells, empty ones left out; rules and rows of one cell are none. */
export function rowsOf(markdown: string): string[] {
  return markdown.split('\n').flatMap((line) => {
    if (!/^\s*\|.*\|\s*$/.test(line) || /^[\s|:-]+$/.test(line)) return []
    const cells = withoutMarkup(line.replaceAll('\\|', ' '))
      .split('|')
      .map((cell) => wordsOf(cell).join(' '))
      .filter((cell) => cell !== '')
    return cells.length < 2 ? [] : [cells.join(' | ')]
  })
}
