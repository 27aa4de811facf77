/** The parts of the playground that touch no page: presets, tools and schemas, costs, the pace of a stream, vectors, marks. */
import { describe, expect, test } from 'bun:test'
import { initialProgress, type ChatMessage } from '../../ui/src/api/stream-chat.ts'
import { answerCost } from '../../ui/src/routes/playground/answer/answer-cost.ts'
import { schemaFaults } from '../../ui/src/routes/playground/answer/schema-faults.ts'
import { chatFields, standardSettings } from '../../ui/src/routes/playground/chat/chat-settings-values.ts'
import { messagesOf, newAnswer, withResults } from '../../ui/src/routes/playground/chat/conversation.ts'
import { countKept, forgetKept, type Place } from '../../ui/src/routes/playground/chat/kept-place.ts'
import { settingsOf } from '../../ui/src/routes/playground/chat/kept-settings.ts'
import { Pace } from '../../ui/src/routes/playground/chat/pace.ts'
import {
  allPresets,
  exportPresets,
  importPresets,
  renamePreset,
  savePreset,
} from '../../ui/src/routes/playground/chat/presets.ts'
import { cannedResults, newTool } from '../../ui/src/routes/playground/chat/tool-draft.ts'
import { cosineOf, shapeOf, vectorOf } from '../../ui/src/routes/playground/embeddings/vectors.ts'
import { markedParts } from '../../ui/src/routes/playground/source/marked-parts.ts'

function storage(): Place {
  const all = new Map<string, string>()
  return {
    getItem: (name) => all.get(name) ?? null,
    setItem: (name, text) => void all.set(name, text),
    removeItem: (name) => void all.delete(name),
    key: (index) => [...all.keys()][index] ?? null,
    get length() {
      return all.size
    },
  }
}

const weather = { ...newTool, name: 'get_weather', description: 'The weather', response: 'It rains.' }
const call = { id: 'c1', name: 'get_weather', arguments: '{"city":"Rome"}' }

describe('presets', () => {
  test('of one name replace each other, are those of one user, and are exported and imported as they were', () => {
    const place = storage()
    const settings = {
      ...standardSettings,
      system: 'Brief.',
      others: ['b'],
      tools: [weather],
      format: 'json_schema' as const,
    }
    expect(savePreset(place, 'ada', { name: ' One ', settings: standardSettings })).toBe(true)
    expect(savePreset(place, 'ada', { name: 'One', settings })).toBe(true)
    expect(allPresets(place, 'ada').map(({ name }) => name)).toEqual(['One'])
    expect(allPresets(place, 'bob')).toEqual([])
    const to = storage()
    expect(importPresets(to, 'bob', exportPresets(allPresets(place, 'ada')))).toBe(1)
    const [read] = allPresets(to, 'bob')
    expect(read?.settings).toEqual(settings)
    if (read !== undefined) renamePreset(to, 'bob', read, 'Two')
    expect(allPresets(to, 'bob').map(({ name }) => name)).toEqual(['Two'])
    expect([countKept(to, 'bob'), countKept(to, 'ada')]).toEqual([
      { conversation: 0, preset: 1 },
      { conversation: 0, preset: 0 },
    ])
    forgetKept(to, 'ada')
    expect(to.length).toBe(1)
    forgetKept(to, 'bob')
    expect(to.length).toBe(0)
  })

  test('of damaged files are left out, or are settings that can be shown', () => {
    const place = storage()
    for (const text of ['', '[]', '{}', '{"presets":[null,1,{"name":"x"},{"settings":{}}]}'])
      expect([text, importPresets(place, 'ada', text)]).toEqual([text, null])
    const strange = {
      name: 'x'.repeat(5000),
      settings: {
        model: {},
        others: [1, 'b', 'c', 'd', 'e'],
        tools: [null, { name: 'a b' }, { ...weather, parameters: '[' }, weather, weather],
        format: 'xml',
        system: 7,
      },
    }
    expect(importPresets(place, 'ada', JSON.stringify({ presets: [strange] }))).toBe(1)
    const [read] = allPresets(place, 'ada')
    expect([read?.name.length, read?.settings]).toEqual([
      200,
      { ...standardSettings, others: ['b', 'c', 'd'], tools: [weather] },
    ])
    // The settings of versions that compared with one other model.
    expect(settingsOf({ second: 'b' }).others).toEqual(['b'])
    expect(settingsOf({ second: null }).others).toEqual([])
  })
})

describe('tools', () => {
  const model = { model: 'm', messages: [] }

  test('are sent with their schema, and with the choice where one is made', () => {
    const settings = { ...standardSettings, tools: [weather] }
    const sent = chatFields(settings, new Map(), model)
    expect(sent['tools']).toEqual([
      {
        type: 'function',
        function: { name: 'get_weather', description: 'The weather', parameters: JSON.parse(weather.parameters) },
      },
    ])
    expect(sent).not.toHaveProperty('tool_choice')
    const choiceOf = (toolChoice: string) => chatFields({ ...settings, toolChoice }, new Map(), model)['tool_choice']
    expect(choiceOf('required')).toBe('required')
    expect(choiceOf('get_weather')).toEqual({ type: 'function', function: { name: 'get_weather' } })
    expect(choiceOf('gone')).toBeUndefined()
    expect(chatFields({ ...standardSettings, toolChoice: 'required' }, new Map(), model)).toEqual(model)
  })

  test('that all have a set answer are answered without a person', () => {
    expect(cannedResults([call], [weather])).toEqual(['It rains.'])
    expect(cannedResults([call], [{ ...weather, response: '' }])).toBeNull()
    expect(cannedResults([call, { ...call, name: 'other' }], [weather])).toBeNull()
    expect(cannedResults([], [weather])).toBeNull()
  })

  test('make messages of their calls and results, in this answer and in later questions', () => {
    const question = { text: 'Weather?', images: [] }
    const called = {
      ...newAnswer('m'),
      state: 'complete' as const,
      progress: { ...initialProgress, toolCalls: [call] },
    }
    const going = withResults(called, ['It rains.'])
    const made: readonly ChatMessage[] = [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'It rains.' },
    ]
    expect(messagesOf('', [], { lane: 0, question, rounds: going.rounds })).toEqual(made)
    const done = { ...going, progress: { ...initialProgress, text: 'Rain.' } }
    const turn = { id: 't', question, answers: [done], schema: '' }
    const next = messagesOf('', [turn], { lane: 0, question: { text: 'And?', images: [] } })
    expect(next).toEqual([...made, { role: 'assistant', content: 'Rain.' }, { role: 'user', content: 'And?' }])
    // Calls without results are left out: providers refuse them.
    expect(messagesOf('', [{ ...turn, answers: [called] }], { lane: 0, question })).toEqual(made.slice(0, 1))
  })
})

describe('a schema', () => {
  const schema = JSON.stringify({
    type: 'object',
    properties: { a: { type: 'integer' }, b: { enum: ['x'] } },
    required: ['a'],
    additionalProperties: false,
  })

  test('is sent, and an answer is checked against it with the place of each fault', () => {
    const settings = { ...standardSettings, format: 'json_schema' as const, schema }
    expect(chatFields(settings, new Map(), { model: 'm', messages: [] })['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema: JSON.parse(schema) },
    })
    expect(schemaFaults('{"a": 1}', schema)).toEqual([])
    expect(schemaFaults('{"a": "1", "b": "y"}', schema).map(({ place }) => place)).toEqual(['/a', '/b'])
    expect(schemaFaults('{"a": 1', schema)[0]?.problem).toStartWith('It is not JSON')
    expect(schemaFaults('{}', schema)).toHaveLength(1)
  })

  test('that cannot be used says so, and so does an answer that is too long; nothing throws', () => {
    const strange = ['{"$ref":"#/nowhere"}', '{"$ref":"#"}', '{"pattern":"("}', 'null', '{"type":7}', '[']
    for (const each of strange) expect(Array.isArray(schemaFaults('"a"', each))).toBe(true)
    expect(schemaFaults('1'.repeat(300_000), schema)[0]?.problem).toBe('It is too long to be checked here.')
  })
})

test('an answer costs its tokens by the rates of its model, whatever the provider counts', () => {
  const models = [{ name: 'm', rates: { input: 1_000_000_000, cached_input: 100_000_000, output: 4_000_000_000 } }]
  const costOf = (progress: object) => answerCost({ model: 'm', progress: { ...initialProgress, ...progress } }, models)
  expect(costOf({ promptTokens: 1000, cachedTokens: 500, completionTokens: 100, elapsedMs: 12.5 })).toBe(950_000)
  expect(costOf({})).toBeNull()
  expect(costOf({ promptTokens: 1.5, completionTokens: Number.NaN })).toBe(2000)
  expect(answerCost({ model: 'other', progress: initialProgress }, models)).toBeNull()
})

describe('the pace of a stream', () => {
  /** A clock that the test moves, and what waits for it. */
  function paced(showMs: number) {
    let at = 0
    let waiting: { readonly due: number; readonly act: () => void }[] = []
    const shown: number[] = []
    const pace = new Pace<number>({
      show(value) {
        shown.push(value)
        at += showMs
      },
      now: () => at,
      later: (act, ms) => void waiting.push({ due: at + ms, act }),
    })
    const advance = (ms: number): void => {
      at += ms
      const due = waiting.filter((each) => each.due <= at)
      waiting = waiting.filter((each) => each.due > at)
      for (const each of due) each.act()
    }
    return { pace, shown, advance, at: () => at }
  }

  test('shows the first value at once and the newest after a pause, never one twice', () => {
    const { pace, shown, advance } = paced(1)
    for (const value of [1, 2, 3]) pace.push(value)
    expect(shown).toEqual([1])
    for (let at = 0; at < 60; at += 1) advance(1)
    expect(shown).toEqual([1, 3])
    pace.push(4)
    pace.flush()
    pace.flush()
    expect(shown).toEqual([1, 3, 4])
  })

  test('spends at most a quarter of the time where a value takes long to draw', () => {
    const showMs = 100
    const { pace, shown, advance, at } = paced(showMs)
    for (let value = 0; at() < 10_000; value += 1) {
      pace.push(value)
      advance(5)
    }
    expect(shown.length).toBeGreaterThan(10)
    expect((shown.length * showMs) / at()).toBeLessThanOrEqual(0.27)
  })
})

test('vectors are read from numbers and from base64, compared, and drawn as a shape', () => {
  const floats = Buffer.from(new Float32Array([1, 0, -2]).buffer).toString('base64')
  expect(vectorOf(floats)).toEqual([1, 0, -2])
  expect([vectorOf('%'), vectorOf([1, 'x' as never, 2])]).toEqual([[], [1, 2]])
  expect([cosineOf([1, 0], [2, 0]), cosineOf([1, 0], [0, 1]), cosineOf([1, 0], [-1, 0])]).toEqual([1, 0, -1])
  expect([cosineOf([0, 0], [1, 0]), cosineOf([1], [1, 2])]).toEqual([null, null])
  expect(shapeOf([1, 3, 5, 7], 2)).toEqual([2, 6])
  expect([shapeOf([1], 5), shapeOf([], 5)]).toEqual([[1], []])
})

test('a passage is marked by code points; offsets outside of the text are brought to its edges', () => {
  expect(markedParts('a😀b😀c', 2, 4)).toEqual(['a😀', 'b😀', 'c'])
  expect(markedParts('abc', -5, 2)).toEqual(['', 'ab', 'c'])
  expect(markedParts('abc', 9, 12)).toEqual(['abc', '', ''])
  expect(markedParts('abc', 2, 1)).toEqual(['ab', '', 'c'])
})
