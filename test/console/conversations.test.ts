/** The conversations that a browser keeps: bounded, apart for each user, and none lost where two tabs write. */
import { expect, test } from 'bun:test'
import { initialProgress } from '../../ui/src/api/stream-chat.ts'
import { standardSettings as settings } from '../../ui/src/routes/playground/chat/chat-settings-values.ts'
import { newAnswer, type Turn } from '../../ui/src/routes/playground/chat/conversation.ts'
import {
  allConversations,
  deleteConversation,
  exportConversations,
  importConversations,
  keepConversation,
  keptMax,
  readConversation,
  renameConversation,
  titleOf,
} from '../../ui/src/routes/playground/chat/conversations.ts'
import type { Place } from '../../ui/src/routes/playground/chat/kept-place.ts'

/** A storage as the browser has it, with room for this many characters. */
function storage(room = Infinity): Place {
  const all = new Map<string, string>()
  const size = (): number => [...all].reduce((sum, [name, text]) => sum + name.length + text.length, 0)
  return {
    getItem: (name) => all.get(name) ?? null,
    setItem(name, text) {
      const before = all.get(name)
      all.set(name, text)
      if (size() <= room) return
      if (before === undefined) all.delete(name)
      else all.set(name, before)
      throw new DOMException('full', 'QuotaExceededError')
    },
    removeItem: (name) => void all.delete(name),
    key: (index) => [...all.keys()][index] ?? null,
    get length() {
      return all.size
    },
  }
}

const turn = (text: string): Turn => ({
  id: text,
  question: { text, images: [{ name: 'red.png', url: 'data:image/png;base64,AAAA' }] },
  answers: [{ ...newAnswer('m'), state: 'complete', progress: { ...initialProgress, text: `about ${text}` } }],
  schema: '',
})
const questionsOf = (place: Place, user = 'ada') =>
  allConversations(place, user).map(({ turns }) => turns.map(({ question }) => question.text))

test('two tabs that go on with one conversation keep one each, and neither loses a question', () => {
  const place = storage()
  const begun = keepConversation(place, 'ada', null, { turns: [turn('one')], settings })
  const left = keepConversation(place, 'ada', begun, { turns: [turn('one'), turn('left')], settings })
  const right = keepConversation(place, 'ada', begun, { turns: [turn('one'), turn('right')], settings })
  expect(left?.id).toBe(begun?.id as string)
  expect(right?.id).not.toBe(begun?.id)
  keepConversation(place, 'ada', left, { turns: [turn('one'), turn('left'), turn('more')], settings })
  keepConversation(place, 'ada', right, { turns: [turn('one'), turn('right'), turn('else')], settings })
  expect(questionsOf(place).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    ['one', 'left', 'more'],
    ['one', 'right', 'else'],
  ])
})

test('another user finds none of them; a name is kept through further questions', () => {
  const place = storage()
  const shown = keepConversation(place, 'ada', null, { turns: [turn('one')], settings })
  renameConversation(place, 'ada', shown?.id ?? '', ' Travel ')
  const named = readConversation(place, 'ada', shown?.id ?? '')
  keepConversation(place, 'ada', named, { turns: [turn('one'), turn('two')], settings })
  expect(allConversations(place, 'ada').map(titleOf)).toEqual(['Travel'])
  expect(allConversations(place, 'bob')).toEqual([])
  deleteConversation(place, 'ada', shown?.id ?? '')
  expect(place.length).toBe(0)
})

test('the newest are kept: up to their number, and as far as there is room', () => {
  const [place, small] = [storage(), storage(4000)]
  for (let at = 0; at < keptMax + 3; at += 1)
    keepConversation(place, 'ada', null, { turns: [turn(`q${at}`)], settings })
  expect(place.length).toBe(keptMax)
  for (const text of ['old', 'middle', 'new']) {
    keepConversation(small, 'ada', null, { turns: [turn(text + 'x'.repeat(700))], settings })
  }
  expect(small.length).toBeGreaterThan(0)
  expect(small.length).toBeLessThan(3)
  expect(keepConversation(small, 'ada', null, { turns: [turn('x'.repeat(5000))], settings })).toBeNull()
})

test('what is exported is imported as it was, without images; damaged files add nothing that cannot be shown', () => {
  const [from, to] = [storage(), storage()]
  keepConversation(from, 'ada', null, {
    turns: [turn('one'), turn('two')],
    settings: { ...settings, system: 'Brief.' },
  })
  const file = exportConversations(allConversations(from, 'ada'))
  expect(importConversations(to, 'bob', file)).toBe(1)
  const [read] = allConversations(to, 'bob')
  expect(read?.settings.system).toBe('Brief.')
  expect(read?.turns.map(({ answers }) => answers[0]?.progress.text)).toEqual(['about one', 'about two'])
  expect(read?.turns[0]?.question.images).toEqual([{ name: 'red.png', url: '' }])
  for (const text of ['', '[]', '{}', 'null', '{"conversations":[null,1,{"turns":"x"},{"turns":[{}]}]}'])
    expect([text, importConversations(to, 'bob', text)]).toEqual([text, null])
  const strange = {
    turns: [{ question: { text: 1, images: [2] }, answers: [null, { progress: { text: {}, citations: [{}] } }] }],
  }
  expect(
    importConversations(
      to,
      'bob',
      JSON.stringify({ conversations: [{ ...strange, at: 'x', settings: { model: {} } }] }),
    ),
  ).toBe(1)
  const odd = allConversations(to, 'bob').find(({ at }) => at === 0)
  expect([odd?.turns[0]?.answers[0]?.progress, odd?.settings]).toEqual([initialProgress, {}])
})
