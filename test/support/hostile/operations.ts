/**
 * What is sent to the operations of the HTTP API to hurt. Every operation that the server documents is asked, a new one
 * without a line here: its families are made from the schema of its body. Here are those that only one operation
 * understands well enough to be hurt by them.
 */
import type { MeasuredServer } from './measured-server.ts'
import { fileContents, formFamilies, headFamilies, jsonFamilies, jsonFamily, type Family } from './families.ts'
import { sampleOf, type BodySchema, type SampleOptions } from './sample-body.ts'

const mebibyte = 1024 * 1024
const chat = { model: 'demo-chat', messages: [{ role: 'user', content: 'Hello!' }] }
const generation = { text: 'Hello!', consumer_group: 'demo-vision' }

/** Bodies that only one operation understands well enough to be hurt by them. */
const own: Readonly<Record<string, (address: { method: string; path: string }) => readonly Family[]>> = {
  'POST /ai/v1/chat/completions': (address) => [
    ...jsonFamilies(address, chat),
    jsonFamily(address, 'a long conversation', (bytes) => {
      const messages = Array.from({ length: bytes / 32 }, () => ({ role: 'user', content: 'a' }))
      return JSON.stringify({ ...chat, messages })
    }),
    jsonFamily(address, 'a long text without a space', (bytes) => message('a'.repeat(bytes))),
    jsonFamily(address, 'Chinese without a space', (bytes) => message(chinese(bytes / 3))),
  ],
  'POST /ai/v1/completions': (address) => [
    ...jsonFamilies(address, { model: 'demo-chat', prompt: 'a' }),
    jsonFamily(address, 'Chinese without a space', (bytes) =>
      JSON.stringify({ model: 'demo-chat', prompt: chinese(bytes / 3) }),
    ),
  ],
  'POST /ai/v1/embeddings': (address) => [
    ...jsonFamilies(address, { model: 'demo-embed', input: 'a' }),
    jsonFamily(address, 'many inputs', (bytes) =>
      JSON.stringify({ model: 'demo-embed', input: Array.from({ length: bytes / 4 }, () => 'a') }),
    ),
    jsonFamily(address, 'Chinese without a space', (bytes) =>
      JSON.stringify({ model: 'demo-embed', input: chinese(bytes / 3) }),
    ),
  ],
  'POST /ai/v1/messages': (address) => [
    ...jsonFamilies(address, { ...chat, max_tokens: 5 }),
    jsonFamily(address, 'many blocks', (bytes) => {
      const content = Array.from({ length: bytes / 26 }, () => ({ type: 'text', text: 'a' }))
      return JSON.stringify({ ...chat, max_tokens: 5, messages: [{ role: 'user', content }] })
    }),
  ],
  'POST /ai/v1/messages/count_tokens': (address) => [
    ...jsonFamilies(address, chat),
    jsonFamily(address, 'a long text without a space', (bytes) => message('a'.repeat(bytes))),
    jsonFamily(address, 'Chinese without a space', (bytes) => message(chinese(bytes / 3)), 4 * mebibyte),
    jsonFamily(address, 'punctuation without a space', (bytes) => message('.!'.repeat(bytes / 2)), 4 * mebibyte),
  ],
  'POST /ai/v1/responses': (address) => [
    ...jsonFamilies(address, { model: 'demo-chat', input: 'Hello!' }),
    jsonFamily(address, 'many items', (bytes) => {
      const input = Array.from({ length: bytes / 32 }, () => ({ role: 'user', content: 'a' }))
      return JSON.stringify({ model: 'demo-chat', input })
    }),
  ],
  'POST /embed': ({ method, path }) => [
    jsonFamily({ method, path }, 'many texts', (bytes) =>
      JSON.stringify({ consumer_group: 'demo-embed', text: Array.from({ length: bytes / 4 }, () => 'a') }),
    ),
  ],
  'POST /classify': (address) => [
    jsonFamily(address, 'many pairs', (bytes) =>
      JSON.stringify({ consumer_group: 'demo-chat', text: Array.from({ length: bytes / 10 }, () => ['q', 'a']) }),
    ),
    jsonFamily(address, 'many queries', (bytes) =>
      JSON.stringify({ text: Array.from({ length: bytes / 12 }, (_, at) => [`${at}`, 'a']) }),
    ),
  ],
  'POST /tokenize/{group}': () => tokenFamilies('/tokenize/demo-chat'),
  'POST /detokenize/{group}': () => tokenFamilies('/detokenize/demo-chat'),
  'POST /generate': schemas,
  'POST /generate_stream': schemas,
  'POST /api/v1/documents': (address) => [
    ...jsonFamilies(address, { files: [] }),
    ...formFamilies(address),
    ...Object.entries(fileContents).map(([name, content]) =>
      jsonFamily(address, `a file: ${name}`, (bytes) => {
        const file = { name: 'x', category: 'hostile', path: '', bytes: Buffer.from(content(bytes)).toString('base64') }
        return JSON.stringify({ files: [file] })
      }),
    ),
    jsonFamily(address, 'many small files', (bytes) => {
      const file = { name: 'x', category: 'hostile', path: '', bytes: '' }
      return JSON.stringify({ files: Array.from({ length: bytes / 60 }, () => file) })
    }),
    ...Object.entries(largeContents).map(([name, content]) =>
      jsonFamily(
        address,
        `a large file: ${name}`,
        (bytes) => `{"files":[{"name":"x","category":"hostile","bytes":"${content(bytes)}"}]}`,
        8 * mebibyte,
      ),
    ),
    jsonFamily(address, 'many files of 4 KB each that are hardly text', (bytes) => {
      const content = Buffer.from('# a\r'.repeat(1024)).toString('base64')
      const files = Array.from({ length: bytes / 5600 }, (_, at) => ({
        name: `${at}`,
        category: 'h',
        path: '',
        bytes: content,
      }))
      return JSON.stringify({ files })
    }),
  ],
  'POST /api/v1/search': (address) => [
    ...jsonFamilies(address, { query: 'leave' }),
    jsonFamily(address, 'a long query', (bytes) => JSON.stringify({ query: 'a b '.repeat(bytes / 4) })),
    jsonFamily(address, 'a query of one word', (bytes) => JSON.stringify({ query: 'a'.repeat(bytes) })),
  ],
}

/** Contents that are large for one request; what stands between the quotes of a JSON string. */
const largeContents: Readonly<Record<string, (bytes: number) => string>> = {
  base64: (bytes) => 'QUJD'.repeat(bytes / 4),
  'base64 that ends otherwise': (bytes) => `${'QUJD'.repeat(bytes / 4)}!`,
  'escaped line ends': (bytes) => String.raw`a\n`.repeat(bytes / 3),
  'escaped characters': (bytes) => String.raw`\u4e00`.repeat(bytes / 6),
  'quotes in quotes': (bytes) => String.raw`\"`.repeat(bytes / 2),
}

function tokenFamilies(path: string): readonly Family[] {
  const address = { method: 'POST', path }
  const texts: Readonly<Record<string, (bytes: number) => string>> = {
    'a long text without a space': (bytes) => 'a'.repeat(bytes),
    'a text of short words': (bytes) => 'a b '.repeat(bytes / 4),
    'punctuation without a space': (bytes) => '.!'.repeat(bytes / 2),
    'Chinese without a space': (bytes) => chinese(bytes / 3),
  }
  return [
    ...Object.entries(texts).map(([name, text]) =>
      jsonFamily(address, name, (bytes) => JSON.stringify({ text: text(bytes), tokens: [text(bytes / 2)] })),
    ),
    jsonFamily(address, 'many tokens', (bytes) =>
      JSON.stringify({ text: 'a', tokens: Array.from({ length: bytes / 4 }, () => 'a') }),
    ),
    jsonFamily(address, 'many ids', (bytes) =>
      JSON.stringify({ text: 'a', tokens: Array.from({ length: bytes / 6 }, () => 13_225) }),
    ),
  ]
}

function message(content: string): string {
  return JSON.stringify({ ...chat, messages: [{ role: 'user', content }] })
}

/** Different characters in an order in which no word repeats. */
function chinese(characters: number): string {
  return Array.from({ length: characters }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000))).join('')
}

function schemas(address: { method: string; path: string }): readonly Family[] {
  const schemaFamily = (name: string, schema: (bytes: number) => object): Family =>
    jsonFamily(address, name, (bytes) => JSON.stringify({ ...generation, json_schema: schema(bytes) }))
  const patternFamily = (name: string, pattern: (bytes: number) => string): Family =>
    jsonFamily(address, name, (bytes) => JSON.stringify({ ...generation, regex_string: pattern(bytes) }))
  const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join('|')
  return [
    ...jsonFamilies(address, generation),
    schemaFamily('a schema of patterns with alternatives', (bytes) => ({
      patternProperties: Object.fromEntries(
        Array.from({ length: Math.max(1, bytes / 4096) }, (_, at) => [`^(${words(512)})${at}$`, true]),
      ),
    })),
    schemaFamily('a schema of references', (bytes) => ({
      $defs: Object.fromEntries(
        Array.from({ length: bytes / 40 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
      ),
      $ref: '#/$defs/d0',
    })),
    schemaFamily('a schema of alternatives', (bytes) => ({
      anyOf: Array.from({ length: bytes / 30 }, (_, at) => ({ const: `value ${at}` })),
    })),
    schemaFamily('a schema of many fields', (bytes) => ({
      properties: Object.fromEntries(Array.from({ length: bytes / 30 }, (_, at) => [`p${at}`, { type: 'string' }])),
    })),
    patternFamily('a pattern of alternatives', (bytes) => `(${words(bytes / 6)})`),
    patternFamily('a pattern of classes', (bytes) => '[a-z0-9]'.repeat(bytes / 8)),
    patternFamily('a pattern of groups', (bytes) => `${'('.repeat(bytes / 2)}${')'.repeat(bytes / 2)}`),
    patternFamily('a pattern of optional parts', (bytes) => '(a?)'.repeat(bytes / 4)),
  ]
}

/** An operation as the server documents it. */
export interface Operation {
  /** Method and path, as in the OpenAPI document. */
  readonly name: string
  readonly mediaTypes: readonly string[]
  /** The schema of its body; null when it takes none. */
  readonly body: BodySchema | null
  /** The schemas that `body` refers to. */
  readonly schemas: Readonly<Record<string, BodySchema>>
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDocs>>>>
  readonly components: { readonly schemas: Readonly<Record<string, BodySchema>> }
}

interface OperationDocs {
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: BodySchema }>>
}

/** Every operation that a server documents. */
export async function operationsOf({ server }: MeasuredServer): Promise<readonly Operation[]> {
  const response = await fetch(`${server.address}/openapi.json`)
  const { paths, components } = (await response.json()) as OpenApi
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
      // A stream that ends when its viewer leaves has no answer whose cost could be measured.
      if (method === 'get' && responses['200']?.content?.['text/event-stream'] !== undefined) return []
      const content = requestBody?.content ?? {}
      const body = Object.values(content)[0]?.schema ?? null
      const name = `${method.toUpperCase()} ${path}`
      return { name, mediaTypes: Object.keys(content), body, schemas: components.schemas }
    }),
  )
}

/** What is sent to an operation: what hurts any address, any body of its schema, and what only this one understands. */
export function familiesOf({ name, mediaTypes, body, schemas: references }: Operation): readonly Family[] {
  const [method = '', template = ''] = name.split(' ')
  const path = template.replaceAll(/\{[^}]*\}/g, '5f3b9f6e-0f3a-4b57-8d0c-3c1c7e6f2a10')
  const address = { method, path }
  const families = [...headFamilies(address), ...(own[name]?.(address) ?? [])]
  if (body === null) return families
  const form = mediaTypes.includes('multipart/form-data') && own[name] === undefined ? formFamilies(address) : []
  if (!mediaTypes.includes('application/json')) return [...families, ...form]
  const sample = (options: Partial<SampleOptions>): unknown => sampleOf(body, { schemas: references, ...options })
  const texts = JSON.stringify(sample({ everyField: true, characters: 9 })).split('"aaaaaaaaa"').length
  return [
    ...families,
    ...form,
    ...(own[name] === undefined ? jsonFamilies(address, sample({}) as object) : []),
    jsonFamily(address, 'a long text in every field', (bytes) =>
      JSON.stringify(sample({ everyField: true, characters: Math.floor(bytes / texts) })),
    ),
    jsonFamily(address, 'a long list in every field', (bytes) =>
      JSON.stringify(sample({ everyField: true, items: bytes / 128 })),
    ),
  ]
}
