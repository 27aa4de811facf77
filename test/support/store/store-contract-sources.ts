/** Documents of files of sources: what every engine must do. */
import { expect } from 'bun:test'
import type { DocumentStore } from '#store/documents/document-store.ts'
import { aDocument, viewer } from './store-documents.ts'
import type { StoreTest } from './store-test.ts'

const now = 1_780_000_000_000

/** One document for each file, whatever is imported, moved or looked up. */
export function sourceContract(storeTest: StoreTest): void {
  const file = (id: string, version: string | null = null) => ({ name: 'handbooks', id, version })
  const manifestOf = async (documents: DocumentStore, importerId = 'ada') =>
    (await documents.manifest({ importerId, source: 'handbooks', after: null, limit: 100 })).entries

  storeTest('a file of a source has one document, which its importer finds by it', async ({ documents }) => {
    const [id = ''] = await documents.idsOfSources('ada', [file('a.txt')])
    expect(await documents.idsOfSources('ada', [file('a.txt'), file('a.txt')])).toEqual([id, id])
    await documents.insert([aDocument({ id, source: file('a.txt', 'one') })])
    expect(await documents.idsOfSources('ada', [file('a.txt')])).toEqual([id])
    expect(await documents.idsOfSources('bob', [file('a.txt')])).not.toEqual([id])
    const changed = aDocument({ id, source: file('a.txt', 'two') })
    expect(await documents.insert([changed])).toMatchObject([{ kind: 'queued' }])
    expect(await manifestOf(documents)).toMatchObject([
      { documentId: id, sourceId: 'a.txt', sourceVersion: 'two', sha256: changed.sha256 },
    ])
    expect(await manifestOf(documents, 'bob')).toEqual([])
  })

  storeTest('two files with the same bytes are two documents; the same file again is none', async ({ documents }) => {
    const sha256 = 'c'.repeat(64)
    const [a = '', b = ''] = await documents.idsOfSources('ada', [file('a.txt'), file('b.txt')])
    const of = (id: string, name: string, version: string) => aDocument({ id, sha256, source: file(name, version) })
    expect(await documents.insert([of(a, 'a.txt', '1'), of(b, 'b.txt', '1'), of(a, 'a.txt', '2')])).toMatchObject([
      { kind: 'queued' },
      { kind: 'queued' },
      { kind: 'duplicate', id: a },
    ])
    // What was only touched is known by its new version.
    await documents.insert([of(b, 'b.txt', '3')])
    const versions = new Map((await manifestOf(documents)).map((each) => [each.sourceId, each.sourceVersion]))
    expect(versions).toEqual(
      new Map([
        ['a.txt', '2'],
        ['b.txt', '3'],
      ]),
    )
  })

  storeTest('a moved file keeps its document, and its former name makes another one', async ({ documents }) => {
    const [id = ''] = await documents.idsOfSources('ada', [file('a.txt')])
    await documents.insert([aDocument({ id, source: file('a.txt', '1') })])
    const moved = { name: 'b.txt', sourceId: 'b.txt', sourceVersion: '2' }
    expect(await documents.rename(id, viewer('ada'), moved, now)).toMatchObject({
      name: 'b.txt',
      source: file('b.txt', '2'),
      version: 1,
    })
    const [atA = '', atB] = await documents.idsOfSources('ada', [file('a.txt'), file('b.txt')])
    expect([atA === id, atB]).toEqual([false, id])
    await documents.insert([aDocument({ id: atA, source: file('a.txt') })])
    expect(await documents.rename(atA, viewer('ada'), { sourceId: 'b.txt' }, now)).toBe('taken')
    expect(await documents.rename(id, viewer('bob'), moved, now)).toBeNull()
    // An id that was looked up before the move is not that of the file any more.
    expect(await documents.insert([aDocument({ source: file('b.txt') })])).toEqual([{ kind: 'taken' }])
  })

  storeTest('an import by id alone leaves a document with its file', async ({ documents }) => {
    const [id = ''] = await documents.idsOfSources('ada', [file('a.txt')])
    await documents.insert([aDocument({ id, source: file('a.txt', '1') })])
    await documents.insert([aDocument({ id })])
    expect(await manifestOf(documents)).toMatchObject([{ documentId: id, sourceId: 'a.txt' }])
  })

  storeTest('a manifest of any size is read in pages without a gap', async ({ documents }) => {
    const sources = Array.from({ length: 25 }, (_each, at) => file(`${at}\n/../ü.txt`))
    const ids = await documents.idsOfSources('ada', sources)
    await documents.insert(sources.map((source, at) => aDocument({ id: ids[at]!, source })))
    const seen: string[] = []
    for (let after: string | null = null, more = true; more;) {
      const page = await documents.manifest({ importerId: 'ada', source: 'handbooks', after, limit: 7 })
      seen.push(...page.entries.map(({ sourceId }) => sourceId))
      more = page.next !== null
      after = page.next
    }
    expect(seen.toSorted()).toEqual(sources.map(({ id }) => id).toSorted())
  })
}
