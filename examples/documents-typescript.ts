/**
 * Imports files, waits until they can be searched, finds passages, and asks a model about them, with a streamed answer:
 *
 *   npm install openai
 *   SLUICE_API_KEY=sk-slu-… bun examples/documents-typescript.ts "How many days of leave are there?" handbook.pdf
 *
 * SLUICE_URL and MODEL name the server and the model; the defaults suit a first start on this machine.
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import OpenAI from 'openai'

interface Item {
  readonly name: string
  readonly doc_id: string | null
  readonly reason?: { readonly message: string }
}

interface ImportAnswer {
  readonly accepted: readonly Item[]
  readonly duplicate: readonly Item[]
  readonly invalid: readonly Item[]
}

interface Hit {
  readonly name: string
  readonly page: number | null
  readonly text: string
}

interface Citation {
  readonly index: number
  readonly name: string
}

const url = process.env['SLUICE_URL'] ?? 'http://127.0.0.1:3001'
const key = process.env['SLUICE_API_KEY'] ?? ''
const [question, ...paths] = process.argv.slice(2)
if (question === undefined || paths.length === 0) throw new Error('Ask a question, and name the files to ask it of.')

async function call(method: string, path: string, body?: FormData | object): Promise<unknown> {
  const isForm = body instanceof FormData
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(!isForm && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return response.json()
}

// All files in one request. wait_for_completion answers when they have ended, or after the server's time limit.
const form = new FormData()
form.append('category', 'examples')
form.append('wait_for_completion', 'true')
for (const path of paths) form.append('files', new Blob([readFileSync(path)]), basename(path))
const { accepted, duplicate, invalid } = (await call('POST', '/api/v1/documents', form)) as ImportAnswer
for (const { name, reason } of invalid) console.error(`${name}: ${reason?.message}`)
for (const { name, doc_id: id } of [...accepted, ...duplicate]) {
  const { state, error } = (await call('GET', `/api/v1/document/${id}`)) as {
    readonly state: string
    readonly error: { readonly message: string } | null
  }
  console.log(`${name}: ${error?.message ?? state}`)
}

console.log('\nPassages')
const wish = { query: question, category: 'examples', top_k: 3 }
const { data } = (await call('POST', '/api/v1/search', wish)) as { readonly data: readonly Hit[] }
for (const { name, page, text } of data)
  console.log(`- ${name}${page === null ? '' : `, page ${page}`}: ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`)

console.log('\nAnswer')
const client = new OpenAI({ baseURL: `${url}/ai/v1`, apiKey: key })
const chat = {
  model: process.env['MODEL'] ?? 'demo-chat',
  messages: [{ role: 'user' as const, content: question }],
  stream: true as const,
  // A field of this server. The SDK's types do not know it, but the SDK sends it unchanged.
  documents: { category: 'examples', top_k: 4 },
}
let citations: readonly Citation[] = []
for await (const chunk of await client.chat.completions.create(chat)) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')
  // On the first chunk.
  citations = (chunk as { readonly citations?: readonly Citation[] }).citations ?? citations
}
console.log()
for (const { index, name } of citations) console.log(`[${index}] ${name}`)
