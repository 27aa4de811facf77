/**
 * Each file of a folder is a prompt, each answer a file of the same name in another folder: a batch, with the official OpenAI
 * SDK. When it is broken off, the same command goes on with the same batch.
 *   SLUICE_API_KEY=sk-slu-… npx bun examples/batch-folder.ts prompts answers
 * SLUICE_URL and MODEL name the server and the model; the defaults suit a first start on this machine.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'

const { SLUICE_URL = 'http://127.0.0.1:3001', SLUICE_API_KEY, MODEL = 'demo-chat' } = process.env
if (SLUICE_API_KEY === undefined) throw new Error('Set SLUICE_API_KEY to an API key. The first start prints one.')
const [prompts, answers] = process.argv.slice(2)
if (prompts === undefined || answers === undefined)
  throw new Error('Name a folder of prompts and a folder for answers.')

const client = new OpenAI({ baseURL: `${SLUICE_URL}/ai/v1`, apiKey: SLUICE_API_KEY })
const ended = new Set(['completed', 'failed', 'expired', 'cancelled'])
const note = join(answers, '.batch')

/** Uploads all prompts as one file of requests, and begins the batch. */
async function begin(folder: string): Promise<string> {
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile())
  const requests = await Promise.all(
    files.map(async ({ name }) => {
      const messages = [{ role: 'user', content: await readFile(join(folder, name), 'utf8') }]
      return JSON.stringify({
        custom_id: name,
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: MODEL, messages },
      })
    }),
  )
  const file = await client.files.create({
    file: await toFile(Buffer.from(requests.join('\n')), 'requests.jsonl'),
    purpose: 'batch',
  })
  const batch = await client.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  })
  return batch.id
}

interface Result {
  readonly custom_id: string
  readonly response: { readonly body: OpenAI.ChatCompletion } | null
}

await mkdir(answers, { recursive: true })
const id = existsSync(note) ? (await readFile(note, 'utf8')).trim() : await begin(prompts)
await writeFile(note, id)

let batch = await client.batches.retrieve(id)
while (!ended.has(batch.status)) {
  console.error(`${batch.status}: ${batch.request_counts?.completed ?? 0} of ${batch.request_counts?.total ?? 0}`)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  batch = await client.batches.retrieve(id)
}

if (batch.output_file_id) {
  const output = await (await client.files.content(batch.output_file_id)).text()
  for (const line of output.trim().split('\n')) {
    const { custom_id: name, response } = JSON.parse(line) as Result
    await writeFile(join(answers, name), response?.body.choices[0]?.message.content ?? '')
  }
}
for (const { line, message } of batch.errors?.data ?? []) console.error(`request ${line}: ${message}`)
if (batch.error_file_id) console.error(await (await client.files.content(batch.error_file_id)).text())
await rm(note)

const { completed = 0, failed = 0 } = batch.request_counts ?? {}
console.log(`${batch.status}: ${completed} answered, ${failed} failed`)
process.exitCode = batch.status === 'completed' && failed === 0 ? 0 : 1
