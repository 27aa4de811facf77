/**
 * What a command says: results on stdout, problems on stderr, for people or with `--json` for
 * machines. A command that answers with data gives both forms; one of them is written.
 */
import type { SettingDescription } from '#config/settings/describe.ts'

export interface Output {
  readonly json: boolean
  /** A result: `value` as one line of JSON, or the lines for people. */
  result(value: unknown, lines: readonly string[] | (() => readonly string[])): void
  /** A part of a long result as it arrives, without a line end of its own; silent with `--json`. */
  piece(text: string): void
  /** What went wrong, one line each. */
  problems(lines: readonly string[]): void
  /** A remark that is neither result nor problem; silent with `--json`. */
  remark(line: string): void
  /** The text in bold where a person reads it. */
  bold(text: string): string
}

interface Sink {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Output of this process, or of other sinks. */
export function createOutput(json: boolean, stdout: Sink = process.stdout, stderr: Sink = process.stderr): Output {
  const isColoured = stdout.isTTY === true && !json
  return {
    json,
    result(value, lines) {
      const shown = json ? [JSON.stringify(value)] : typeof lines === 'function' ? lines() : lines
      // In one piece, so that who waits for the first line has all of them.
      stdout.write(shown.map((line) => `${line}\n`).join(''))
    },
    piece(text) {
      if (!json) stdout.write(text)
    },
    problems(lines) {
      if (json) stderr.write(`${JSON.stringify({ problems: lines })}\n`)
      else for (const line of lines) stderr.write(`${line}\n`)
    },
    remark(line) {
      if (!json) stderr.write(`${line}\n`)
    },
    bold: (text) => (isColoured ? `\u001b[1m${text}\u001b[22m` : text),
  }
}

/** Rows in columns; the heads are left out when there are no rows. */
export function tableLines(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): readonly string[] {
  if (rows.length === 0) return [empty]
  const all = [heads.map((head) => head.toUpperCase()), ...rows]
  const widths = heads.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** The value of a setting on one line. */
export function settingText(value: SettingDescription['value']): string {
  if (value === null) return '-'
  if (typeof value !== 'object') return String(value)
  const items = Array.isArray(value) ? value : Object.entries(value).map(([name, text]) => `${name}=${String(text)}`)
  return items.join(', ') || '-'
}

/** Names and what they are, in two columns, indented. */
export function entryLines(entries: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd())
}
