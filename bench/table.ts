/** Results as a table: for people as Markdown, for later runs as JSON. */

export interface Table {
  readonly title: string
  /** What was done, in a sentence. */
  readonly method: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
  /** The figures of every round behind the rows. */
  readonly rounds: unknown
}

export function markdown(table: Table): string {
  const lines = [
    `### ${table.title}`,
    '',
    table.method,
    '',
    row(table.columns),
    row(table.columns.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...table.rows.map((cells) => row(cells.map(String))),
  ]
  return `${lines.join('\n')}\n`
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** A number with as many decimals as it has meaning; a dash when there is none. */
export function figure(value: number, decimals = 1): string {
  return Number.isFinite(value) ? value.toLocaleString('en-US', { maximumFractionDigits: decimals }) : '–'
}
