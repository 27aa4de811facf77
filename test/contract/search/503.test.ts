/** 503 of POST /api/v1/search: meaning alone was asked for, and the embedding model cannot be used. */
import { expect, test } from 'bun:test'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { embeds } from '#test/support/upstream/embedding-script.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const app = documentsOfFile()

test('a search by vector says so, and how to search without it; the same by words is answered', async () => {
  app().upstream.script(embeds)
  const { doc_id: id } = await app().imported({ bytes: 'A lonely ibex.' }, { embedder: 'plain' })
  app().upstream.script(json(errorObject('bad key'), 401))
  const refused = await app().search({ query: 'ibex', mode: 'vector' })
  expect(refused.headers.get('retry-after')).toBe('5')
  const promised = { status: 503, type: 'api_error', code: 'embedder_unavailable' } as const
  expect((await expectRefusal(refused, promised)).message).not.toContain('bad key')
  expect((await app().hits({ query: 'ibex' })).map((hit) => hit.doc_id)).toEqual([id])
})

test('of a model that is gone the documents are still found by words', async () => {
  app().upstream.script(embeds)
  const { doc_id: id } = await app().imported(
    { bytes: 'A forgotten tapir.', category: 'gone' },
    { embedder: 'vendor/slashed' },
  )
  const { id: modelId } = app().models['vendor/slashed']
  expect((await app().operate('DELETE', `/models/${modelId}`)).status).toBeLessThan(300)
  const asked = { query: 'tapir', category: 'gone' }
  const refused = await app().search({ ...asked, mode: 'vector' })
  await expectRefusal(refused, { status: 503, type: 'api_error', code: 'embedder_unavailable' })
  expect((await app().hits(asked)).map((hit) => hit.doc_id)).toEqual([id])
})
