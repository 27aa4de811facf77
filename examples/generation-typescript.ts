/**
 * Asks several questions about one image and streams the answers. Needs only a runtime with fetch:
 *
 *   SLUICE_API_KEY=sk-slu-… bun examples/generation-typescript.ts photo.jpg
 *
 * SLUICE_URL and GROUP name the server and the consumer group; the defaults suit a first start on this machine.
 */
import { readFileSync } from 'node:fs'

interface TokenEvent {
  readonly batch_id: number
  readonly text?: string
  readonly error?: { readonly message: string }
}

const url = process.env['SLUICE_URL'] ?? 'http://127.0.0.1:3001'
const path = process.argv[2]
if (path === undefined) throw new Error('Name an image file.')
const questions = ['What is it?', 'Which colours has it?']
const payload = { text: questions, consumer_group: process.env['GROUP'] ?? 'demo-vision', max_new_tokens: 200 }

const form = new FormData()
form.append('image_data', new Blob([readFileSync(path)]), 'image')
form.append('json_data', new Blob([JSON.stringify(payload)], { type: 'application/json' }))
const response = await fetch(`${url}/image_generate_stream`, {
  method: 'POST',
  headers: { authorization: `Bearer ${process.env['SLUICE_API_KEY'] ?? ''}` },
  body: form,
})
if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`)

const answers = questions.map(() => '')
let held = ''
for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
  const lines = (held + text).split('\n')
  held = lines.pop() ?? ''
  for (const line of lines) {
    if (!line.startsWith('data:')) continue
    const event = JSON.parse(line.slice(5)) as TokenEvent
    // A question that fails has an event of its own; the others continue.
    if (event.error !== undefined) console.error(`[${event.batch_id}] ${event.error.message}`)
    else answers[event.batch_id] += event.text ?? ''
  }
}
for (const [index, question] of questions.entries()) console.log(`${question}\n${answers[index]}\n`)
