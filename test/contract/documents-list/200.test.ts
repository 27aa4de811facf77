/** GET /api/v1/documents: the newest first, filtered, in pages. */
import { expect, test } from 'bun:test'
import { documentAnswer, type DocumentOnWire } from '#documents/records/document-record.ts'
import { pageAnswer } from '#http/page.ts'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'

const app = documentsOfFile({ set: idle })

interface Page {
  readonly data: readonly DocumentOnWire[]
  readonly next_cursor: string | null
}

async function page(query: string): Promise<Page> {
  const response = await app().request('GET', `/api/v1/documents${query}`)
  expect(response.status).toBe(200)
  return pageAnswer(documentAnswer).parse(await response.json())
}

test('pages of any size hold every document once, the newest first', async () => {
  const ids = await app().accepted(Array.from({ length: 7 }, (_, at) => ({ bytes: `paged ${at}`, category: 'paged' })))
  for (const limit of [1, 2, 3, 7, 200]) {
    const seen: DocumentOnWire[] = []
    let cursor: string | null = null
    do {
      const next: Page = await page(
        `?category=paged&limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      expect(next.data.length).toBeLessThanOrEqual(limit)
      seen.push(...next.data)
      cursor = next.next_cursor
    } while (cursor !== null)
    expect(seen.map(({ doc_id: id }) => id).toSorted()).toEqual(ids.toSorted())
    const times = seen.map(({ created_at: at }) => at)
    expect(times).toEqual(times.toSorted().toReversed())
  }
})

test('filters by category, state, owner and part of the name, and by all of them together', async () => {
  const item = (name: string, more: object = {}) => ({ name, bytes: name, category: 'filtered', ...more })
  const [report, notes, shared] = await app().accepted([
    item('Annual Report 2025.pdf.txt'),
    item('notes_100%.txt'),
    item('shared.txt', { owners: 'everyone' }),
  ])
  expect(await app().statusOf('POST', `/api/v1/document/${notes}/cancel`, app().keys.main)).toBe(200)
  const filtered = async (query: string) => new Set(await app().listed(`?category=filtered${query}`))
  expect(await filtered('')).toEqual(new Set([report!, notes!, shared!]))
  expect(await filtered('&name=rEPORT')).toEqual(new Set([report!]))
  expect(await filtered('&name=_100%25')).toEqual(new Set([notes!]))
  expect(await filtered('&name=%25')).toEqual(new Set([notes!]))
  expect(await filtered('&state=cancelled')).toEqual(new Set([notes!]))
  expect(await filtered('&state=queued,%20cancelled')).toEqual(new Set([report!, notes!, shared!]))
  expect(await filtered('&owner=everyone')).toEqual(new Set([shared!]))
  expect(await filtered(`&owner=${app().keys.main.userId}&state=queued`)).toEqual(new Set([report!]))
  expect(await filtered('&state=completed')).toEqual(new Set())
  expect(await app().listed('?category=none')).toEqual([])
})

test('shows a caller nothing of others, and administrators all', async () => {
  const [id] = await app().accepted([{ bytes: 'mine alone' }])
  const query = '?limit=200'
  expect(await app().listed(query, { key: app().keys.other })).not.toContain(id!)
  expect(await app().listed(query, { key: app().keys.admin })).toContain(id!)
})
