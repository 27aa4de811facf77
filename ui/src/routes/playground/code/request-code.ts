/**
 * A chat request as code in three languages, with the same fields that the playground sends. The code
 * reads images from files, because inline they would fill pages.
 */
import type { ChatFields } from '../chat/chat-settings-values.ts'

export interface RequestCode {
  readonly language: string
  readonly code: string
}

interface ImageFile {
  /** The placeholder of the image in the fields. */
  readonly mark: string
  readonly name: string
  /** `data:image/png;base64,` */
  readonly prefix: string
}

/** @param names of the images, in the order of the messages */
export function requestCode(fields: ChatFields, names: readonly string[], origin: string): readonly RequestCode[] {
  const files: ImageFile[] = []
  const streamed = { ...fields, stream: true }
  const marked: unknown = JSON.parse(JSON.stringify(streamed), (_, value: unknown) => {
    const prefix = typeof value === 'string' ? /^data:[\w/+.-]+;base64,/.exec(value)?.[0] : undefined
    if (prefix === undefined) return value
    const at = files.length
    // Typed text has no control characters.
    const file = { mark: `\u0001image${at}\u0001`, name: fileName(names[at], at), prefix }
    files.push(file)
    return file.mark
  })
  const body = marked as Readonly<Record<string, unknown>>
  return [
    { language: 'curl', code: curl(body, files, origin) },
    { language: 'Python', code: python(body, files, origin) },
    { language: 'TypeScript', code: typescript(body, files, origin) },
  ]
}

/** The name with only characters that need no quotes in a shell or in code. */
function fileName(name: string | undefined, at: number): string {
  return (name ?? '').replace(/[^\w.-]+/g, '-') || `image-${at + 1}.png`
}

function curl(body: Readonly<Record<string, unknown>>, files: readonly ImageFile[], origin: string): string {
  const quoted = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`)
  const data = files.reduce(
    (text, { mark, name, prefix }) =>
      text.replace(JSON.stringify(mark), () => `"${prefix}'"$(base64 < ${name} | tr -d '\\n')"'"`),
    quoted,
  )
  return `curl -N ${origin}/ai/v1/chat/completions \\
  -H "Authorization: Bearer $SLUICE_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${data}'`
}

function python(body: Readonly<Record<string, unknown>>, files: readonly ImageFile[], origin: string): string {
  const { documents, ...known } = body
  const given = { ...known, ...(documents !== undefined && { extra_body: { documents } }) }
  const lines = Object.entries(given).map(([name, value]) => `    ${name}=${literal(value, pythonWords, 1)},`)
  const code = files.reduce(
    (text, { mark, name, prefix }) =>
      text.replace(JSON.stringify(mark), () => `"${prefix}" + base64.b64encode(open("${name}", "rb").read()).decode()`),
    lines.join('\n'),
  )
  return `${files.length > 0 ? 'import base64\n' : ''}import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/ai/v1", api_key=os.environ["SLUICE_API_KEY"])
stream = client.chat.completions.create(
${code}
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`
}

function typescript(body: Readonly<Record<string, unknown>>, files: readonly ImageFile[], origin: string): string {
  const { documents, ...known } = body
  const lines = Object.entries(known).map(([name, value]) => `  ${name}: ${literal(value, scriptWords, 1)},`)
  // The client's types lack this field; spread fields are sent nevertheless.
  if (documents !== undefined) lines.push(`  ...({ documents: ${literal(documents, scriptWords, 1)} } as object),`)
  const code = files.reduce(
    (text, { mark, name, prefix }) =>
      text.replace(JSON.stringify(mark), () => `\`${prefix}\${readFileSync('${name}', 'base64')}\``),
    lines.join('\n'),
  )
  return `${files.length > 0 ? "import { readFileSync } from 'node:fs'\n" : ''}import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/ai/v1', apiKey: process.env.SLUICE_API_KEY })
const stream = await client.chat.completions.create({
${code}
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`
}

interface ValueChoice {
  readonly true: string
  readonly false: string
  readonly null: string
  readonly name: (name: string) => string
  readonly indent: string
}

const pythonWords: ValueChoice = { true: 'True', false: 'False', null: 'None', name: JSON.stringify, indent: '    ' }
const scriptWords: ValueChoice = {
  true: 'true',
  false: 'false',
  null: 'null',
  name: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)),
  indent: '  ',
}

/** A JSON value as a literal of a language. */
function literal(value: unknown, words: ValueChoice, depth: number): string {
  if (value === null) return words.null
  if (typeof value === 'boolean') return words[`${value}`]
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = words.indent.repeat(depth + 1)
  const outer = words.indent.repeat(depth)
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((each) => literal(each, words, depth + 1))
    : Object.entries(value).map(([name, each]) => `${words.name(name)}: ${literal(each, words, depth + 1)}`)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return `${open}${close}`
  return `${open}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${outer}${close}`
}
