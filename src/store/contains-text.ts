/**
 * The condition that a column contains a text, in any case. Neither engine's LIKE knows the case of letters beyond
 * ASCII everywhere: the pattern itself names both cases of each letter.
 */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Engine } from './database.ts'

/** No index serves a part in the middle: the statement reads every row that its other conditions leave. */
export function containsText(engine: Engine, column: string, text: string): RawBuilder<SqlBool> {
  const pattern = Array.from(text, engine === 'sqlite' ? globOf : regularOf).join('')
  return engine === 'sqlite'
    ? sql<SqlBool>`${sql.ref(column)} glob ${`*${pattern}*`}`
    : sql<SqlBool>`${sql.ref(column)} ~ ${pattern}`
}

/** One of these contains the text. */
export function oneContains(engine: Engine, columns: readonly string[], text: string): RawBuilder<SqlBool> {
  const conditions = columns.map((column) => containsText(engine, column, text))
  return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`
}

function globOf(character: string): string {
  return bothCases(character) ?? (/[*?[]/.test(character) ? `[${character}]` : character)
}

function regularOf(character: string): string {
  return bothCases(character) ?? (/[\p{L}\p{N}\s]/u.test(character) ? character : `\\${character}`)
}

/** A class of both cases of a letter; null for a character without cases, or whose other case is several. */
function bothCases(character: string): string | null {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
  return lower === upper || Array.from(lower + upper).length !== 2 ? null : `[${lower}${upper}]`
}
