/** 200 of POST /image_generate_stream: tokens about one image, as they are generated. */
import { describe, expect, test } from 'bun:test'
import { answering, picture, promptIn, textsOf, tokenEvents } from '#test/support/app/generation-app.ts'
import { echoing, useGeneration } from '#test/support/contract/generation-contract.ts'

const app = useGeneration()

/**
 * A client written from the interface's description alone: every field that is not set is an explicit
 * null, the image is of the type image/*, events are read line by line, and each `data:` line is JSON.
 */
async function literalClient(text: string | readonly string[], order: 'image first' | 'payload first') {
  const payload = {
    text,
    constrained_decoding_backend: null,
    consumer_group: null,
    image_paths: null,
    json_schema: null,
    lora_id: null,
    max_new_tokens: null,
    min_new_tokens: null,
    no_repeat_ngram_size: null,
    prompt_max_tokens: null,
    regex_string: null,
    repetition_penalty: null,
    sampling_temperature: null,
    sampling_topk: null,
    sampling_topp: null,
    use_chat_template: null,
  }
  const form = new FormData()
  const addImage = () => form.append('image_data', new Blob([picture], { type: 'image/*' }), 'image.png')
  const addPayload = () => form.append('json_data', new Blob([JSON.stringify(payload)], { type: 'application/json' }))
  if (order === 'image first') addImage()
  addPayload()
  if (order === 'payload first') addImage()
  const answer = await fetch(`${app().url}/image_generate_stream`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${app().keys.main.secret}` },
    body: form,
  })
  expect(answer.status).toBe(200)
  const tokens: string[][] = []
  for (const line of (await answer.text()).split(/\r?\n/)) {
    if (!line.startsWith('data:')) continue
    const event = JSON.parse(line.slice(5)) as { readonly text: string; readonly batch_id: number }
    ;(tokens[event.batch_id] ??= []).push(event.text)
  }
  return tokens.map((each) => each.join(''))
}

describe('a client written from the description alone', () => {
  for (const order of ['image first', 'payload first'] as const) {
    test(`reads one prompt and several, ${order}`, async () => {
      echoing(app())
      expect(await literalClient('What is this?', order)).toEqual(['What is this?!'])
      expect(await literalClient(['one', 'two', 'three'], order)).toEqual(['one!', 'two!', 'three!'])
    })
  }
})

test('a thousand prompts about one image are all answered, and the image is in each call', async () => {
  const prompts = Array.from({ length: 1000 }, (_, index) => `p${index}`)
  app().upstream.script((request) => answering([promptIn(request.json())]))
  const from = app().upstream.requests.length
  const answer = await app().generate('image_generate_stream', { text: prompts })
  expect(textsOf(tokenEvents(await answer.text()))).toEqual(Object.fromEntries(prompts.entries()))
  const calls = app().upstream.requests.slice(from)
  expect(calls.length).toBe(1000)
  const base64 = picture.toString('base64')
  expect(calls.every((call) => Buffer.from(call.body).includes(base64))).toBe(true)
  expect(app().upstream.malformed).toEqual([])
})

test('no more prompts than the setting says are with the provider at once', async () => {
  let most = 0
  let now = 0
  app().upstream.script((request) => {
    now += 1
    most = Math.max(most, now)
    void request.answered.then(() => (now -= 1))
    return answering(['a', 'b', 'c'])
  })
  const prompts = Array.from({ length: 60 }, (_, index) => `p${index}`)
  await (await app().generate('image_generate_stream', { text: prompts })).text()
  expect(most).toBeLessThanOrEqual(8)
})
