import { expect, test } from 'bun:test'
import { directivesIn } from './directives.ts'
import { replyResponse } from './reply-body.ts'
import { limitsOf, newId, textChoice, type Reply } from './reply.ts'
import { chatWire, type Wire } from './wire.ts'

async function streamedReply(text: string): Promise<Reply> {
  const choice = await textChoice(0, text, limitsOf({ model: 'demo-chat' }, null))
  return {
    id: newId('chatcmpl-'),
    model: 'demo-chat',
    created: 0,
    promptTokens: 1,
    choices: [choice],
    streamed: true,
    usageAsked: false,
    directives: directivesIn(''),
  }
}

/** Lets whatever is ready to run do so. */
function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

test('no event is made before it is read', async () => {
  let made = 0
  const counting: Wire = {
    ...chatWire,
    token(...part) {
      made += 1
      return chatWire.token(...part)
    },
  }
  const reply = await streamedReply('one two three four five six seven eight nine ten '.repeat(100))
  const response = await replyResponse(reply, counting, new AbortController().signal)
  const reader = response.body?.getReader()
  await reader?.read()
  await aTurn()
  expect(made).toBe(0)
  for (let tokens = 1; tokens <= 3; tokens += 1) {
    await reader?.read()
    await aTurn()
    expect(made).toBe(tokens)
  }
  await reader?.cancel()
  expect(made).toBe(3)
})

test('a long stream read at full speed leaves turns to others', async () => {
  const response = await replyResponse(await streamedReply('word '.repeat(500)), chatWire, new AbortController().signal)
  let turns = 0
  let reading = true
  const others = (async () => {
    while (reading) {
      await aTurn()
      turns += 1
    }
  })()
  await response.text()
  reading = false
  await others
  expect(turns).toBeGreaterThan(3)
})
