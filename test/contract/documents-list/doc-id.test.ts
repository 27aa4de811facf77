/** The filter by ids of GET /api/v1/documents: how somebody who waits for documents asks for all of them at once. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'

const app = documentsOfFile({ set: idle })

const importNamed = async (name: string): Promise<string> => {
  const [id] = await app().accepted([{ name, bytes: `The text of ${name}.`, category: crypto.randomUUID() }])
  return id!
}

describe('doc_id', () => {
  test('lists exactly the documents with these ids, however they are written', async () => {
    const [first, second] = [await importNamed('first.txt'), await importNamed('second.txt')]
    await importNamed('third.txt')
    expect(await app().listed(`?doc_id=${first}`)).toEqual([first])
    expect(await app().listed(`?doc_id=${first.toUpperCase()},%20${second}`)).toEqual([second, first])
  })

  test('combines with the other filters', async () => {
    const id = await importNamed('queued.txt')
    expect(await app().listed(`?doc_id=${id}&state=queued`)).toEqual([id])
    expect(await app().listed(`?doc_id=${id}&state=completed`)).toEqual([])
    expect(await app().listed(`?doc_id=${id}&name=other`)).toEqual([])
  })

  test('of a document that is not there, or that the caller cannot see, lists nothing', async () => {
    const id = await importNamed('mine.txt')
    expect(await app().listed(`?doc_id=${crypto.randomUUID()}`)).toEqual([])
    expect(await app().listed(`?doc_id=${id}`, { key: app().keys.other })).toEqual([])
  })

  const ids = (count: number): string => Array.from({ length: count }, () => crypto.randomUUID()).join(',')
  const malformed: Readonly<Record<string, string>> = {
    'no id': 'first',
    'an id and something else': `${crypto.randomUUID()},first`,
    'an empty place in the list': `${crypto.randomUUID()},`,
    nothing: '',
    'more than 200 ids': ids(201),
  }
  for (const [what, value] of Object.entries(malformed)) {
    test(`${what} is refused by the name of the parameter`, async () => {
      const response = await app().request('GET', `/api/v1/documents?doc_id=${value}`)
      const { error } = (await response.json()) as { error: { code: string; param: string } }
      expect([response.status, error.code, error.param]).toEqual([400, 'invalid_query_parameter', 'doc_id'])
    })
  }

  test('two hundred ids are taken', async () => {
    expect(await app().listed(`?doc_id=${ids(200)}`)).toEqual([])
  })
})
