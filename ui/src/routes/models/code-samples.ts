/**
 * A first request to a model with curl and each SDK that has what the model is for, with this server's address. Each is
 * run by a test as it is.
 */

/** A request to an endpoint. The texts have the model's name as JSON and the server's address. */
interface Sample {
  readonly endpoint: string
  /** What curl sends: fields beside the model as JSON, or a form with this file. */
  readonly body: { readonly fields: string } | { readonly file: string }
  /** curl writes the answer, which is not JSON, into this file. */
  readonly output?: string
  readonly python: (model: string) => string
  readonly typescript: (model: string) => string
}

const question = '[{"role": "user", "content": "Hello!"}]'

/** The first whose endpoint the model has; the first of all when its endpoints are not known. */
const samples: readonly Sample[] = [
  {
    endpoint: 'chat/completions',
    body: { fields: `"messages": ${question}` },
    python: (model) => `answer = client.chat.completions.create(
    model=${model},
    messages=${question},
)
print(answer.choices[0].message.content)`,
    typescript: (model) => `const answer = await client.chat.completions.create({
  model: ${model},
  messages: [{ role: 'user', content: 'Hello!' }],
})
console.log(answer.choices[0]?.message.content)`,
  },
  {
    endpoint: 'embeddings',
    body: { fields: '"input": "Hello!"' },
    python: (model) => `answer = client.embeddings.create(model=${model}, input="Hello!")
print(answer.data[0].embedding)`,
    typescript: (model) => `const answer = await client.embeddings.create({ model: ${model}, input: 'Hello!' })
console.log(answer.data[0]?.embedding)`,
  },
  {
    endpoint: 'completions',
    body: { fields: '"prompt": "Once upon a time"' },
    python: (model) => `answer = client.completions.create(model=${model}, prompt="Once upon a time")
print(answer.choices[0].text)`,
    typescript: (
      model,
    ) => `const answer = await client.completions.create({ model: ${model}, prompt: 'Once upon a time' })
console.log(answer.choices[0]?.text)`,
  },
  {
    endpoint: 'rerank',
    body: { fields: '"query": "capital of France", "documents": ["Paris", "Rome"]' },
    python: (model) => `answer = client.post(
    "/rerank",
    cast_to=object,
    body={"model": ${model}, "query": "capital of France", "documents": ["Paris", "Rome"]},
)
print(answer)`,
    typescript: (model) => `const answer = await client.post('/rerank', {
  body: { model: ${model}, query: 'capital of France', documents: ['Paris', 'Rome'] },
})
console.log(answer)`,
  },
  {
    endpoint: 'images/generations',
    body: { fields: '"prompt": "A lighthouse at dawn"' },
    python: (model) => `answer = client.images.generate(model=${model}, prompt="A lighthouse at dawn")
print(answer.data[0])`,
    typescript: (
      model,
    ) => `const answer = await client.images.generate({ model: ${model}, prompt: 'A lighthouse at dawn' })
console.log(answer.data?.[0])`,
  },
  {
    endpoint: 'audio/transcriptions',
    body: { file: 'speech.mp3' },
    python: (model) => `with open("speech.mp3", "rb") as file:
    answer = client.audio.transcriptions.create(model=${model}, file=file)
print(answer.text)`,
    typescript: (model) => `import { createReadStream } from 'node:fs'

const file = createReadStream('speech.mp3')
const answer = await client.audio.transcriptions.create({ model: ${model}, file })
console.log(answer.text)`,
  },
  {
    endpoint: 'audio/speech',
    body: { fields: '"input": "Hello!", "voice": "alloy"' },
    output: 'speech.mp3',
    python: (model) => `answer = client.audio.speech.create(model=${model}, input="Hello!", voice="alloy")
answer.write_to_file("speech.mp3")`,
    typescript: (model) => `import { writeFile } from 'node:fs/promises'

const answer = await client.audio.speech.create({ model: ${model}, input: 'Hello!', voice: 'alloy' })
await writeFile('speech.mp3', Buffer.from(await answer.arrayBuffer()))`,
  },
  {
    endpoint: 'moderations',
    body: { fields: '"input": "Hello!"' },
    python: (model) => `answer = client.moderations.create(model=${model}, input="Hello!")
print(answer.results[0].flagged)`,
    typescript: (model) => `const answer = await client.moderations.create({ model: ${model}, input: 'Hello!' })
console.log(answer.results[0]?.flagged)`,
  },
]

/** The model as far as samples depend on it. */
export interface SampleModel {
  readonly name: string
  /** Endpoints that are left out are unknown. */
  readonly capabilities: { readonly endpoints?: readonly string[] | undefined }
}

export interface CodeSample {
  readonly language: string
  readonly code: string
}

/** @param secret in the place of the variable of the environment, where a new key is shown */
export function codeSamples(model: SampleModel, origin: string, secret?: string): readonly CodeSample[] {
  const { endpoints } = model.capabilities
  const sample = samples.find(({ endpoint }) => endpoints?.includes(endpoint)) ?? samples[0]
  if (sample === undefined) return []
  const name = JSON.stringify(model.name)
  const plain = [
    { language: 'curl', code: curl(origin, name, sample) },
    {
      language: 'Python',
      code: `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/ai/v1", api_key=os.environ["SLUICE_API_KEY"])
${sample.python(name)}`,
    },
    {
      language: 'TypeScript',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/ai/v1', apiKey: process.env.SLUICE_API_KEY })
${sample.typescript(name)}`,
    },
    ...(otherSdks[sample.endpoint] ?? []).map(({ language, code }) => ({ language, code: code(name, origin) })),
  ]
  return secret === undefined
    ? plain
    : plain.map(({ language, code }) => ({ language, code: withSecret(code, secret) }))
}

function withSecret(code: string, secret: string): string {
  return code
    .replaceAll('$SLUICE_API_KEY', secret)
    .replaceAll('process.env.SLUICE_API_KEY', `'${secret}'`)
    .replaceAll('import os\n', '')
    .replaceAll('os.environ["SLUICE_API_KEY"]', `"${secret}"`)
}

interface OtherSdk {
  readonly language: string
  readonly code: (model: string, origin: string) => string
}

/** SDKs beside OpenAI's, by the endpoint that they call. */
const otherSdks: Readonly<Record<string, readonly OtherSdk[]>> = {
  'chat/completions': [
    {
      language: 'Anthropic',
      code: (model, origin) => `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: '${origin}/ai', apiKey: process.env.SLUICE_API_KEY })
const answer = await client.messages.create({
  model: ${model},
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hello!' }],
})
console.log(answer.content)`,
    },
    {
      language: 'AI SDK',
      code: (model, origin) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const sluice = createOpenAICompatible({
  name: 'sluice',
  baseURL: '${origin}/ai/v1',
  apiKey: process.env.SLUICE_API_KEY,
})
const { text } = await generateText({ model: sluice(${model}), prompt: 'Hello!' })
console.log(text)`,
    },
    {
      language: 'LangChain',
      code: (model, origin) => `import { ChatOpenAI } from '@langchain/openai'

const chat = new ChatOpenAI({
  model: ${model},
  apiKey: process.env.SLUICE_API_KEY,
  configuration: { baseURL: '${origin}/ai/v1' },
})
const answer = await chat.invoke('Hello!')
console.log(answer.content)`,
    },
  ],
  embeddings: [
    {
      language: 'AI SDK',
      code: (model, origin) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { embed } from 'ai'

const sluice = createOpenAICompatible({
  name: 'sluice',
  baseURL: '${origin}/ai/v1',
  apiKey: process.env.SLUICE_API_KEY,
})
const { embedding } = await embed({ model: sluice.embeddingModel(${model}), value: 'Hello!' })
console.log(embedding)`,
    },
    {
      language: 'LangChain',
      code: (model, origin) => `import { OpenAIEmbeddings } from '@langchain/openai'

const embeddings = new OpenAIEmbeddings({
  model: ${model},
  apiKey: process.env.SLUICE_API_KEY,
  configuration: { baseURL: '${origin}/ai/v1' },
})
console.log(await embeddings.embedQuery('Hello!'))`,
    },
  ],
}

function curl(origin: string, name: string, { endpoint, body, output }: Sample): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const sent =
    'file' in body
      ? [`-F ${quoted(`model=${JSON.parse(name) as string}`)}`, `-F file=@${body.file}`]
      : ["-H 'Content-Type: application/json'", `-d ${quoted(`{"model": ${name}, ${body.fields}}`)}`]
  return [
    `curl ${origin}/ai/v1/${endpoint}`,
    '-H "Authorization: Bearer $SLUICE_API_KEY"',
    ...sent,
    ...(output === undefined ? [] : [`-o ${output}`]),
  ].join(' \\\n  ')
}
