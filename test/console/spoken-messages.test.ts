/** Logged content as a conversation, of each API. */
import { expect, test } from 'bun:test'
import { spokenContent } from '../../ui/src/routes/requests/spoken-messages.ts'

const said = (request: object, answer: object | null = null) =>
  spokenContent(JSON.stringify(request), answer === null ? null : JSON.stringify(answer))
const user = (text: string) => ({ role: 'user', text })

test('a chat completion', () => {
  const parts = [
    { type: 'text', text: 'one' },
    { type: 'image_url', image_url: { url: '[image/png, 3 bytes]' } },
    { type: 'text', text: 'two' },
  ]
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: parts },
    { role: 'assistant', content: 'three' },
    { role: 'user', content: 'four' },
  ]
  expect(said({ messages }, { choices: [{ message: { role: 'assistant', content: 'five' } }] })).toEqual({
    system: 'Be brief.',
    messages: [user('one\ntwo'), { role: 'assistant', text: 'three' }, user('four')],
    answer: 'five',
  })
})

test('a message of Anthropic, a response and a completion', () => {
  const blocks = [{ type: 'text', text: 'hello' }]
  expect(said({ system: blocks, messages: [{ role: 'user', content: blocks }] }, { content: blocks })).toEqual({
    system: 'hello',
    messages: [user('hello')],
    answer: 'hello',
  })
  const output = [{ type: 'reasoning' }, { type: 'message', content: [{ type: 'output_text', text: 'yes' }] }]
  expect(said({ instructions: 'Do.', input: 'hi' }, { output })).toEqual({
    system: 'Do.',
    messages: [user('hi')],
    answer: 'yes',
  })
  expect(said({ prompt: 'once' }, { choices: [{ text: ' upon' }] })).toEqual({
    system: '',
    messages: [user('once')],
    answer: ' upon',
  })
})

test('content that is cut off or is not a conversation is none', () => {
  expect(spokenContent('{"messages":[{"role":"us', null)).toBe(null)
  expect(said({ query: 'a', documents: ['b'] })).toBe(null)
  expect(spokenContent('"[binary data, 4 bytes]"', null)).toBe(null)
})
