/** The text of a document at a place: chunks cover all of it in order, so the place of a text is found among them by halving. */
import type { Kysely } from 'kysely'
import type { Connection } from '../../database.ts'
import type { Tables } from '../../schema.ts'
import type { PageStart, StretchOfDocument, StretchQuery } from '../document-chunks.ts'
import type { DocumentStore, Viewer } from '../document-store.ts'
import { plainText } from '../plain-text.ts'
import { rowsOf } from '../rows/chunk-row.ts'
import { storedChunk } from '../rows/stored-chunk.ts'
import { canSeeContent } from '../rows/visibility.ts'

/** The chunks of one visible set are written once, so what is read of them in several steps belongs together. */
export async function stretchOf(
  { engine, kysely }: Connection,
  query: StretchQuery & { readonly id: string; readonly viewer: Viewer },
): ReturnType<DocumentStore['stretch']> {
  const document = await kysely
    .selectFrom('documents')
    .innerJoin('chunk_sets', 'chunk_sets.row', 'documents.visible_set')
    .select([
      'documents.id',
      'name',
      'media_type',
      'visible_version',
      'visible_sha256',
      'chunk_sets.row',
      'chunks',
      'pages',
    ])
    .where('documents.id', '=', plainText(query.id))
    .where(canSeeContent(engine, query.viewer))
    .executeTakeFirst()
  if (document === undefined) return null
  const { id, name, media_type: mediaType, visible_version: version, visible_sha256: sha256, chunks: count } = document
  const first = rowsOf(document.row).from
  const pages = document.pages === null ? [] : (JSON.parse(document.pages) as readonly PageStart[])
  const length = (await endOf(kysely, first + count - 1)) ?? 0
  const { page, start, end } = boundsOf(query.place, pages, length)
  const about = { id, name, mediaType, sha256: sha256 ?? '', length, pages: pages.length, page, start, end }
  if (start >= end) return { ...about, chunks: [] } satisfies StretchOfDocument
  const rows = await kysely
    .selectFrom('document_chunks')
    .selectAll()
    .where('row', '>=', await firstEndingAfter(kysely, start, { from: first, to: first + count }))
    .where('row', '<', first + count)
    .where('start_at', '<', end)
    .orderBy('row')
    .limit(query.chunksMax)
    .execute()
  return { ...about, chunks: rows.map((row) => storedChunk(row, id, version)) }
}

interface Bounds {
  readonly page: PageStart | null
  readonly start: number
  readonly end: number
}

/** The place within the text; empty where there is no such page. */
function boundsOf(place: StretchQuery['place'], pages: readonly PageStart[], length: number): Bounds {
  if ('start' in place) return { page: null, start: Math.min(place.start, length), end: Math.min(place.end, length) }
  const at = pages.findIndex(({ number }) => number === place.page)
  const page = pages[at] ?? null
  if (page === null) return { page, start: 0, end: 0 }
  return { page, start: page.start, end: pages[at + 1]?.start ?? length }
}

/** Twenty looks at the most: chunks are few million at the most, and their ends ascend with their rows. */
async function firstEndingAfter(
  kysely: Kysely<Tables>,
  start: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  let [low, high] = [from, to - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const end = await endOf(kysely, middle)
    if (end !== null && end > start) high = middle
    else low = middle + 1
  }
  return low
}

async function endOf(kysely: Kysely<Tables>, row: number): Promise<number | null> {
  const chunk = await kysely.selectFrom('document_chunks').select('end_at').where('row', '=', row).executeTakeFirst()
  return chunk?.end_at ?? null
}
