/** Which chunks have a term, as each engine's index tells it: FTS5 and GIN are asked for lists, and rank nothing. */
import { sql } from 'kysely'
import type { Connection } from '../../database.ts'

/** Chunks that have one term of each group. */
export interface TermQuery {
  readonly groups: readonly TermGroup[]
}

export interface TermGroup {
  readonly terms: readonly string[]
  readonly prefix: boolean
}

/** Rows of each query, ascending, at most `limit` of each: some of them when there are more. */
export function wordLists(
  reading: Connection,
  queries: readonly TermQuery[],
  options: { readonly limit: number },
): Promise<readonly Float64Array[]> {
  if (queries.length === 0) return Promise.resolve([])
  return reading.engine === 'sqlite' ? sqliteLists(reading, queries, options) : postgresLists(reading, queries, options)
}

async function sqliteLists(
  { kysely }: Connection,
  queries: readonly TermQuery[],
  { limit }: Parameters<typeof wordLists>[2],
): Promise<readonly Float64Array[]> {
  const lists: Float64Array[] = []
  for (const { groups } of queries) {
    const result = await sql<{ rows: string }>`
      select json_group_array(rowid) as rows from (
        select rowid from chunk_terms where chunk_terms match ${expression(groups, fts5)} limit ${limit})
    `.execute(kysely)
    lists.push(Float64Array.from(JSON.parse(result.rows[0]?.rows ?? '[]') as readonly number[]).sort())
  }
  return lists
}

async function postgresLists(
  { kysely }: Connection,
  queries: readonly TermQuery[],
  { limit }: Parameters<typeof wordLists>[2],
): Promise<readonly Float64Array[]> {
  // A query of its own for each, since the planner knows how rare a term is when it sees it; and a column of its own,
  // since `pg` takes arrays apart letter by letter.
  const each = queries.map(
    ({ groups }, index) => sql`(select string_agg(int8send(row), '') from (
      select row from chunk_terms where terms @@ ${expression(groups, tsquery)}::tsquery limit ${limit}) as found) as ${sql.raw(`list${index}`)}`,
  )
  const { rows: found } = await sql<Readonly<Record<string, Buffer | null>>>`select ${sql.join(each)}`.execute(kysely)
  return queries.map((_query, index) => {
    const bytes = found[0]?.[`list${index}`] ?? Buffer.alloc(0)
    const list = new Float64Array(bytes.length / 8)
    for (let at = 0; at < list.length; at += 1) {
      list[at] = bytes.readUInt32BE(8 * at) * 2 ** 32 + bytes.readUInt32BE(8 * at + 4)
    }
    return list.sort()
  })
}

interface Syntax {
  readonly quote: string
  readonly or: string
  readonly and: string
  readonly star: string
}

const fts5: Syntax = { quote: '"', or: ' OR ', and: ' AND ', star: '*' }
const tsquery: Syntax = { quote: "'", or: ' | ', and: ' & ', star: ':*' }

/** Terms hold letters and digits only, and quoted terms are not operators. */
function expression(groups: readonly TermGroup[], { quote, or, and, star }: Syntax): string {
  return groups
    .map(({ terms, prefix }) => {
      const any = terms.map((term) => `${quote}${term}${quote}${prefix ? star : ''}`)
      return `(${any.join(or)})`
    })
    .join(and)
}
