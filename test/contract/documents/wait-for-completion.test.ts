/** `wait_for_completion`: the answer comes when all accepted files have ended, or after documents.wait_seconds. */
import { expect, test } from 'bun:test'
import type { ImportAnswer } from '#documents/import/import-answer.ts'
import { documentsOfFile, idle, startDocuments, eventually } from '#test/support/app/documents-app.ts'
import { embedsWhenReleased } from '#test/support/upstream/embedding-script.ts'

const app = documentsOfFile()
const wait = { wait_for_completion: true, embedder: 'plain' }

test('the answer waits for the last of several documents', async () => {
  app().upstream.script(embedsWhenReleased)
  let isAnswered = false
  const waiting = app().import([{ bytes: 'waits for its vectors' }], wait)
  void waiting.then(() => (isAnswered = true))
  const quick = await app().import([{ bytes: 'is not held up' }], { wait_for_completion: true })
  expect(((await quick.json()) as ImportAnswer).accepted.map(({ state }) => state)).toEqual(['completed'])
  expect(isAnswered).toBe(false)
  app().upstream.release()
  const { accepted } = (await (await waiting).json()) as ImportAnswer
  expect(accepted.map(({ state }) => state)).toEqual(['completed'])
})

test('a duplicate has the state of the document that is there, an invalid item none', async () => {
  await app().imported({ bytes: 'there before' })
  const { status, duplicate, invalid } = await app().answer([{ bytes: 'there before' }, {}], wait)
  expect([status, duplicate.map(({ state }) => state), invalid.map(({ state }) => state)]).toEqual([
    207,
    ['completed'],
    [undefined],
  ])
})

test('a client that leaves cancels nothing', async () => {
  app().upstream.script(embedsWhenReleased)
  const seen = app().upstream.requests.length
  const leaving = new AbortController()
  const left = app().import([{ bytes: 'the client leaves', category: 'left' }], wait, { signal: leaving.signal })
  const gone = left.catch((thrown: unknown) => thrown)
  await eventually(() => app().upstream.requests.length > seen)
  const [id] = await app().listed('?category=left')
  leaving.abort()
  await gone
  app().upstream.release()
  expect((await app().ended(id!)).state).toBe('completed')
})

test('cancelling or deleting a document ends the wait for it', async () => {
  app().upstream.script(embedsWhenReleased)
  for (const [method, path] of [
    ['POST', '/cancel'],
    ['DELETE', ''],
  ] as const) {
    const waiting = app().import([{ bytes: `ended by ${method}`, category: method }], wait)
    let id: string | undefined
    await eventually(async () => (id = (await app().listed(`?category=${method}`))[0]) !== undefined)
    expect(await app().statusOf(method, `/api/v1/document/${id}${path}`, app().keys.main)).toBeLessThan(300)
    expect((await waiting).status).toBe(202)
  }
})

test('after the time the answer says how far each document is', async () => {
  await using patient = await startDocuments({ set: [...idle, 'documents.wait_seconds=0.05'] })
  const { status, accepted } = await patient.answer([{ bytes: 'nobody works' }], { wait_for_completion: true })
  expect([status, accepted.map(({ state }) => state)]).toEqual([202, ['queued']])
})
