/** A file that was uploaded once is named by its id in requests of the official clients, and the model gets its content. */
import { expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { toFile } from 'openai'
import { filesOfTest } from '#test/support/batches/file-client.ts'

const files = filesOfTest()
const report = '%PDF-1.7 the annual report'

function openAi(requestId: string): OpenAI {
  const { url, keys } = files().gateway
  const defaultHeaders = { 'x-request-id': requestId }
  return new OpenAI({ baseURL: `${url}/ai/v1`, apiKey: keys.main.secret, maxRetries: 0, defaultHeaders })
}

async function uploaded(): Promise<string> {
  const file = await toFile(Buffer.from(report), 'report.pdf')
  return (await openAi('upload').files.create({ file, purpose: 'user_data' })).id
}

async function modelGot(requestId: string): Promise<void> {
  const { body } = await files().gateway.received(requestId)
  expect(Buffer.from(body).toString()).toContain(Buffer.from(report).toString('base64'))
}

test('in chat completions', async () => {
  const content = [{ type: 'file', file: { file_id: await uploaded() } }] as const
  await openAi('in-chat').chat.completions.create({
    model: 'plain',
    messages: [{ role: 'user', content: [...content] }],
  })
  await modelGot('in-chat')
})

test('in responses', async () => {
  const content = [{ type: 'input_file', file_id: await uploaded() }] as const
  await openAi('in-responses').responses.create({ model: 'plain', input: [{ role: 'user', content: [...content] }] })
  await modelGot('in-responses')
})

test('in messages, which can be counted before they are sent', async () => {
  const { url, keys } = files().gateway
  const defaultHeaders = { 'x-request-id': 'in-messages' }
  const client = new Anthropic({ baseURL: `${url}/ai`, apiKey: keys.main.secret, maxRetries: 0, defaultHeaders })
  const source = { type: 'file', file_id: await uploaded() } as const
  const messages = [{ role: 'user', content: [{ type: 'document', source }] }] as const
  const asked = { model: 'plain', messages: messages.map((each) => ({ ...each, content: [...each.content] })) }
  expect((await client.beta.messages.countTokens(asked)).input_tokens).toBeGreaterThan(2000)
  await client.beta.messages.create({ ...asked, max_tokens: 64 })
  await modelGot('in-messages')
})
