/** POST /ai/v1/chat/completions over documents, where a model writes what is searched for, and where it does not. */
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { documentsOfFile } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'
import {
  hang,
  json,
  openAiAnswer,
  reset,
  type Behaviour,
  type ScriptedRequest,
} from '#test/support/upstream/upstream-behaviours.ts'
import { errorObject } from '#test/support/upstream/upstream-samples.ts'

const app = documentsOfFile({ set: ['documents.model_seconds=0.5', 'failover.max_attempts=1'] })
const conversation = [
  { role: 'user', content: 'How many vacation days do employees have?' },
  { role: 'assistant', content: 'Thirty [1].' },
  { role: 'user', content: 'And marmots?' },
]
const written = 'How many vacation days do managers have?'

interface Answer {
  readonly citations: readonly { readonly name: string }[]
  readonly retrieval?: { readonly query: string; readonly warnings: readonly string[] }
}

beforeAll(async () => {
  await app().accepted(
    [
      { name: 'managers.txt', bytes: 'Managers have forty vacation days.' },
      { name: 'marmots.txt', bytes: 'Marmots sleep from October on.' },
    ],
    { wait_for_completion: true },
  )
})

const isWriting = (request: Pick<ScriptedRequest, 'method' | 'json'>): boolean =>
  request.method === 'POST' && JSON.stringify(request.json()).includes('You get a conversation')

/** What the model that writes answers; chats are answered as ever. */
function writes(behaviour: Behaviour): void {
  app().upstream.script((request) => (isWriting(request) ? behaviour : openAiAnswer(request)))
}
const says = (content: string): Behaviour => json({ choices: [{ index: 0, message: { role: 'assistant', content } }] })
beforeEach(() => writes(says(written)))

async function chat(documents: object, messages: readonly object[] = conversation): Promise<Answer> {
  const response = await app().chat({ messages, documents: { mode: 'keyword', top_k: 1, ...documents } })
  const text = await response.text()
  expect([response.status, text]).toEqual([200, expect.any(String)])
  return JSON.parse(text) as Answer
}

const named = ({ citations }: Answer): readonly string[] => citations.map(({ name }) => name)

test('the question that the model writes is searched for, and told', async () => {
  const answer = await chat({ rewrite: true })
  expect([named(answer), answer.retrieval]).toEqual([['managers.txt'], { query: written, warnings: [] }])
  const asked = app().upstream.requests.findLast(isWriting)!.json()
  expect(asked).toMatchObject({ model: 'upstream-model' })
  const [, { content } = { content: '' }] = asked['messages'] as readonly { readonly content: string }[]
  expect(JSON.parse(content)).toEqual(conversation.map(({ role, content: text }) => ({ role, text })))
})

test.each([
  ['thoughts before it', `<think>Hm, marmots?</think>\n\n${written}`],
  ['several lines', written.replaceAll(' ', '\n')],
])('%s are no part of the question', async (_what, content) => {
  writes(says(content))
  expect((await chat({ rewrite: true })).retrieval?.query).toBe(written)
})

describe('the last message is searched for as it is', () => {
  test.each([
    ['where nothing else is asked', {}],
    ['where the request does without', { rewrite: false }],
  ])('%s', async (_where, fields) => {
    const before = app().upstream.requests.length
    const answer = await chat(fields)
    expect([named(answer), answer.retrieval]).toEqual([['marmots.txt'], undefined])
    expect(app().upstream.requests.length).toBe(before + 1)
  })

  test('when it is the first one', async () => {
    expect((await chat({ rewrite: true }, conversation.slice(-1))).retrieval).toBeUndefined()
    expect(isWriting(app().upstream.requests.at(-1)!)).toBe(false)
  })

  test.each<readonly [string, Behaviour]>([
    ['says nothing', says('')],
    ['answers no chat completion', json({ text: written })],
    ['refuses', json(errorObject('No.', 'no'), 400)],
    ['breaks off', [reset]],
    ['never answers', [hang]],
  ])('with a warning when the model %s', async (_what, behaviour) => {
    writes(behaviour)
    const answer = await chat({ rewrite: true })
    const warnings = [expect.stringContaining('The last message was searched for as it is')]
    expect<unknown>([named(answer), answer.retrieval]).toEqual([['marmots.txt'], { query: 'And marmots?', warnings }])
  })
})

describe('which model writes', () => {
  test('can be said by the settings for everybody, and by the request', async () => {
    const models = () => app().upstream.requests.filter(isWriting).length
    const set = (value: string) => app().operate('PUT', '/settings/documents.rewrite_model', { value })
    expect((await set('plain')).status).toBe(200)
    const before = models()
    await chat({})
    await chat({ rewrite: { model: 'vendor/slashed' } })
    await chat({ rewrite: false })
    expect(models()).toBe(before + 2)
    expect((await app().operate('DELETE', '/settings/documents.rewrite_model')).ok).toBe(true)
  })

  test.each([
    ['gone', { status: 422, type: 'invalid_request_error', code: 'validation_failed' }],
    ['private', { status: 403, type: 'permission_error', code: 'model_access_denied' }],
  ] as const)('%s cannot be asked', async (model, refusal) => {
    const response = await app().chat({ messages: conversation, documents: { rewrite: { model } } })
    const param = model === 'gone' ? 'documents.rewrite.model' : 'model'
    await expectRefusal(response, { ...refusal, param })
  })
})
