import { describe, expect, test } from 'bun:test'
import type { Endpoint, Provider } from '#providers/provider.ts'
import { anUpstream } from '#test/support/upstream/an-upstream.ts'
import { picture } from '#test/support/app/generation-app.ts'
import { aProvider } from '#test/support/store/store-records.ts'
import type { Flavour } from './flavour.ts'
import { imageOf } from '../request/image.ts'
import { readPayload } from '../request/payload.ts'
import { upstreamBody } from './upstream-body.ts'
import { planUpstream, type Planned } from './upstream-plan.ts'

const image = imageOf(picture, { bytesMax: 1_000_000, pixelsMax: 1_000_000 })
const options = { loras: { sql: 'adapters/sql' }, constrained_decoding_backends: ['outlines'] }

interface Asked {
  readonly flavour: Flavour
  readonly fields?: object
  readonly withImage?: boolean
}

function plan({ flavour, fields = {}, withImage = false }: Asked): Planned {
  const record = aProvider({ options })
  const upstream = anUpstream('upstream-model', { provider: record })
  const provider: Provider = {
    record,
    endpoints: new Set<Endpoint>(['chat/completions', 'completions']),
    sendsPieces: true,
    send: () => Promise.reject(new Error('not called')),
    discover: () => Promise.resolve([]),
  }
  const payload = readPayload({ text: 'Say it.', ...fields }, 1000)
  const request = { payload, image: withImage ? image : null, bytes: 0 }
  return planUpstream(request, upstream, provider, { flavour, chatTemplate: true })
}

function body(asked: Asked, imageIsKnown = false): { readonly type: string; readonly text: string } {
  const planned = plan(asked)
  if (planned.kind !== 'plan') throw new Error(`unsupported: ${planned.field}`)
  const { contentType, parts } = upstreamBody({
    plan: planned.plan,
    text: 'Say it.',
    image: asked.withImage === true ? image : null,
    imageIsKnown,
  })
  return { type: contentType, text: Buffer.concat(parts).toString('latin1') }
}

function sent(asked: Asked): Record<string, unknown> {
  const { model, messages, stream, stream_options, prompt, ...fields } = JSON.parse(body(asked).text)
  expect({ model, stream, stream_options }).toEqual({
    model: expect.any(String),
    stream: true,
    stream_options: { include_usage: true },
  })
  expect(messages === undefined ? prompt : messages[0].content).toBe('Say it.')
  return { ...fields, ...(model !== 'upstream-model' && { model }) }
}

const defaults: Readonly<Record<Exclude<Flavour, 'takeoff'>, object>> = {
  openai: { max_completion_tokens: 128, temperature: 0 },
  vllm: { max_tokens: 128, temperature: 1, top_p: 1, top_k: 1 },
  sglang: { max_tokens: 128, temperature: 1, top_p: 1, top_k: 1 },
  llamacpp: { max_tokens: 128, temperature: 1, top_p: 1, top_k: 1, repeat_penalty: 1, repeat_last_n: -1 },
  tgi: { max_tokens: 128, temperature: 0 },
  lmdeploy: { max_tokens: 128, temperature: 1, top_p: 1, top_k: 1 },
  ollama: { max_tokens: 128, temperature: 0 },
  demo: { max_completion_tokens: 128, temperature: 1, top_p: 1, top_k: 1 },
}
const flavours = Object.keys(defaults) as readonly (keyof typeof defaults)[]

describe('the defaults of the interface', () => {
  for (const flavour of flavours) {
    test(`are greedy and 128 tokens, as ${flavour} has it`, () =>
      expect(sent({ flavour })).toEqual(defaults[flavour] as never))
  }

  test('written out are the same as left out', () => {
    const fields = {
      max_new_tokens: 128,
      min_new_tokens: 0,
      no_repeat_ngram_size: 0,
      repetition_penalty: 1.0,
      sampling_temperature: 1.0,
      sampling_topk: 1,
      sampling_topp: 1.0,
      use_chat_template: true,
    }
    for (const flavour of flavours) expect(sent({ flavour, fields })).toEqual(defaults[flavour] as never)
  })
})

/** What a field becomes beside the defaults; null = it cannot be honoured. */
const table: readonly (readonly [fields: object, Readonly<Record<keyof typeof defaults, object | null>>])[] = [
  [
    { min_new_tokens: 5 },
    {
      openai: null,
      vllm: { min_tokens: 5 },
      sglang: { min_tokens: 5 },
      llamacpp: null,
      tgi: null,
      lmdeploy: { min_new_tokens: 5 },
      ollama: null,
      demo: { min_tokens: 5 },
    },
  ],
  [
    { sampling_topk: 40 },
    {
      openai: null,
      vllm: { top_k: 40 },
      sglang: { top_k: 40 },
      llamacpp: { top_k: 40 },
      tgi: null,
      lmdeploy: { top_k: 40 },
      ollama: null,
      demo: { top_k: 40 },
    },
  ],
  [
    { sampling_topk: 0, sampling_temperature: 0.5, sampling_topp: 0.9 },
    {
      openai: { temperature: 0.5, top_p: 0.9 },
      vllm: { temperature: 0.5, top_p: 0.9, top_k: -1 },
      sglang: { temperature: 0.5, top_p: 0.9, top_k: -1 },
      llamacpp: { temperature: 0.5, top_p: 0.9, top_k: 0 },
      tgi: { temperature: 0.5, top_p: 0.9 },
      lmdeploy: { temperature: 0.5, top_p: 0.9, top_k: 0 },
      ollama: { temperature: 0.5, top_p: 0.9 },
      demo: { temperature: 0.5, top_p: 0.9, top_k: -1 },
    },
  ],
  [
    { repetition_penalty: 1.2 },
    {
      openai: null,
      vllm: { repetition_penalty: 1.2 },
      sglang: { repetition_penalty: 1.2 },
      llamacpp: { repeat_penalty: 1.2, repeat_last_n: -1 },
      tgi: { presence_penalty: 1.2 - 2 },
      lmdeploy: { repetition_penalty: 1.2 },
      ollama: null,
      demo: { repetition_penalty: 1.2 },
    },
  ],
  [
    { no_repeat_ngram_size: 3 },
    {
      openai: null,
      vllm: null,
      sglang: null,
      llamacpp: null,
      tgi: null,
      lmdeploy: null,
      ollama: null,
      demo: { no_repeat_ngram_size: 3 },
    },
  ],
  [
    { regex_string: 'yes|no' },
    {
      openai: null,
      vllm: { structured_outputs: { regex: 'yes|no' } },
      sglang: { regex: 'yes|no' },
      llamacpp: { grammar: 'root ::= [y] [e] [s] | [n] [o]' },
      tgi: { response_format: { type: 'regex', value: 'yes|no' } },
      lmdeploy: { response_format: { type: 'regex_schema', regex_schema: 'yes|no' } },
      ollama: null,
      demo: { regex: 'yes|no' },
    },
  ],
  [
    { lora_id: 'sql' },
    {
      openai: { model: 'adapters/sql' },
      vllm: { model: 'adapters/sql' },
      sglang: { lora_path: 'adapters/sql' },
      llamacpp: { lora: [{ id: 'adapters/sql', scale: 1 }] },
      tgi: { model: 'adapters/sql' },
      lmdeploy: { model: 'adapters/sql' },
      ollama: { model: 'adapters/sql' },
      demo: {},
    },
  ],
]

describe('a field goes out as the flavour has it, or is refused', () => {
  for (const [fields, expected] of table) {
    for (const flavour of flavours) {
      test(`${JSON.stringify(fields)} at ${flavour}`, () => {
        const wanted = expected[flavour]
        if (wanted === null)
          expect(plan({ flavour, fields })).toEqual({ kind: 'unsupported', field: Object.keys(fields)[0] ?? '' })
        else expect(sent({ flavour, fields })).toEqual({ ...defaults[flavour], ...wanted })
      })
    }
  }

  test('a temperature of 1 goes out without top_p of 1 to TGI, which refuses it', () => {
    expect(sent({ flavour: 'tgi', fields: { sampling_topk: 0 } })).toEqual({ max_tokens: 128, temperature: 1 })
  })

  test('a schema goes out to all, and to TGI in its own words', () => {
    const schema = { type: 'object' }
    for (const flavour of flavours) {
      const format =
        flavour === 'tgi'
          ? { type: 'json', value: schema }
          : { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } }
      expect(sent({ flavour, fields: { json_schema: schema } })).toMatchObject({ response_format: format })
    }
  })

  test('an adapter or a backend that the provider does not list is refused', () => {
    expect(plan({ flavour: 'vllm', fields: { lora_id: '/etc/passwd' } })).toEqual({
      kind: 'unsupported',
      field: 'lora_id',
    })
    const backend = (name: string) => plan({ flavour: 'vllm', fields: { constrained_decoding_backend: name } }).kind
    expect([backend('outlines'), backend('lmfe')]).toEqual(['plan', 'unsupported'])
  })
})

describe('a prompt without chat template', () => {
  test('goes to the completions of the provider', () => {
    const planned = plan({ flavour: 'vllm', fields: { use_chat_template: false } })
    expect(planned).toMatchObject({ kind: 'plan', plan: { endpoint: 'completions' } })
    expect(sent({ flavour: 'openai', fields: { use_chat_template: false } })).toEqual({
      max_tokens: 128,
      temperature: 0,
    })
  })

  test('is refused together with an image, and with a form where completions have none', () => {
    const field = (asked: Asked) => (plan(asked) as { field?: string }).field
    expect(field({ flavour: 'vllm', fields: { use_chat_template: false }, withImage: true })).toBe('use_chat_template')
    expect(field({ flavour: 'openai', fields: { use_chat_template: false, json_schema: {} } })).toBe('json_schema')
  })
})

describe('an image', () => {
  test('comes before the text, as a data URL of the type that its bytes have', () => {
    const { messages } = JSON.parse(body({ flavour: 'openai', withImage: true }).text)
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${picture.toString('base64')}` } },
          { type: 'text', text: 'Say it.' },
        ],
      },
    ])
  })

  test('is one buffer for all prompts and all upstreams', () => {
    const parts = (flavour: Flavour) => {
      const planned = plan({ flavour, withImage: true })
      if (planned.kind !== 'plan') throw new Error('unsupported')
      return upstreamBody({ plan: planned.plan, text: 'a', image, imageIsKnown: false }).parts[1]
    }
    expect(parts('vllm')).toBe(parts('openai') as never)
    expect(parts('takeoff')).toBe(image.bytes as never)
  })

  test('that vLLM has seen is named by its digest alone', () => {
    const { text } = body({ flavour: 'vllm', withImage: true }, true)
    const [part] = JSON.parse(text).messages[0].content
    expect(part).toEqual({ type: 'image_url', image_url: null, uuid: image.sha256 })
    expect(JSON.parse(body({ flavour: 'vllm', withImage: true }).text).messages[0].content[0].uuid).toBe(image.sha256)
  })
})

describe('a server of the interface itself', () => {
  const fields = {
    consumer_group: 'mine',
    sampling_topk: 40,
    no_repeat_ngram_size: 2,
    use_chat_template: null,
    image_paths: [],
  }

  test('is sent the payload as it is, with its own consumer group and one text', () => {
    expect(JSON.parse(body({ flavour: 'takeoff', fields }).text)).toEqual({
      text: 'Say it.',
      sampling_topk: 40,
      no_repeat_ngram_size: 2,
      consumer_group: 'upstream-model',
    })
  })

  test('is sent a form with the very bytes of the image', async () => {
    const { type, text } = body({ flavour: 'takeoff', fields, withImage: true })
    const form = await new Response(Buffer.from(text, 'latin1'), { headers: { 'content-type': type } }).formData()
    const file = form.get('image_data') as File
    expect([file.type, Buffer.from(await file.arrayBuffer()).equals(picture)]).toEqual(['image/png', true])
    expect(JSON.parse(form.get('json_data') as string)).toMatchObject({
      text: 'Say it.',
      consumer_group: 'upstream-model',
    })
  })
})
