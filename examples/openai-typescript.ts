/**
 * The official OpenAI SDK against Sluice: only the base URL and the key are ours.
 *   SLUICE_API_KEY=sk-slu-… npx bun examples/openai-typescript.ts
 * SLUICE_URL and MODEL name the server and the model; the defaults suit a first start on this machine.
 */
import OpenAI, { APIError } from 'openai'

const { SLUICE_URL = 'http://127.0.0.1:3001', SLUICE_API_KEY, MODEL = 'demo-chat' } = process.env
if (SLUICE_API_KEY === undefined) throw new Error('Set SLUICE_API_KEY to an API key. The first start prints one.')

const client = new OpenAI({ baseURL: `${SLUICE_URL}/ai/v1`, apiKey: SLUICE_API_KEY })

for await (const model of client.models.list()) console.log(`model ${model.id}, by ${model.owned_by}`)

const answer = await client.chat.completions.create({
  model: MODEL,
  messages: [{ role: 'user', content: 'Hello!' }],
})
console.log(answer.choices[0]?.message.content)
console.log(`${answer.usage?.prompt_tokens} tokens in, ${answer.usage?.completion_tokens} out`)

const stream = await client.chat.completions.create({
  model: MODEL,
  stream: true,
  messages: [{ role: 'user', content: 'Hello again!' }],
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')
process.stdout.write('\n')

try {
  await client.chat.completions.create({ model: 'no-such-model', messages: [{ role: 'user', content: 'Hello?' }] })
} catch (error) {
  // Decide by code: docs/errors.md lists all codes.
  if (!(error instanceof APIError)) throw error
  console.log(`refused as it should be: ${error.status} ${error.code}`)
}
