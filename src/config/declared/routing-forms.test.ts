import { describe, expect, test } from 'bun:test'
import { efforts, failoverForm, reasoningForm } from './routing-forms.ts'

const pass = (...words: readonly string[]) => Object.fromEntries(words.map((word) => [word, word]))

/** Dotted paths of what is wrong with a reasoning configuration; empty when it is right. */
function faults(form: unknown): readonly string[] {
  const result = reasoningForm.safeParse(form)
  return result.success ? [] : result.error.issues.map((issue) => issue.path.join('.'))
}

describe('reasoning', () => {
  test('takes a word, a budget, a switch and anything else that JSON can write', () => {
    const form = {
      efforts: ['none', 'low', 'high'],
      writes: [
        { pointer: '/reasoning_effort', values: pass('low', 'high') },
        { pointer: '/thinking/budget_tokens', values: { low: 1024, high: 8192 } },
        { pointer: '/chat_template_kwargs/enable_thinking', values: { none: false, low: true, high: true } },
        { pointer: '/vendor~1extra/~0x', values: { none: { a: [1, null] } } },
      ],
    }
    expect(reasoningForm.parse(form) as unknown).toEqual(form)
  })

  test('lists efforts from none to max and each once, however they are written', () => {
    const written = ['max', 'low', 'none', 'low']
    const form = reasoningForm.parse({
      efforts: written,
      writes: [{ pointer: '/e', values: pass('none', 'low', 'max') }],
    })
    expect(form.efforts).toEqual(['none', 'low', 'max'])
    const all = reasoningForm.parse({
      efforts: efforts.toReversed(),
      writes: [{ pointer: '/e', values: pass(...efforts) }],
    })
    expect(all.efforts).toEqual([...efforts])
  })

  test('needs no writes when the model does not reason, and one for each effort when it does', () => {
    expect(faults({ efforts: [] })).toEqual([])
    expect(faults({ efforts: ['low'] })).toEqual(['writes'])
    expect(faults({ efforts: ['low', 'high'], writes: [{ pointer: '/e', values: pass('low') }] })).toEqual(['writes'])
  })

  test('writes nothing for an effort that is not listed', () => {
    const writes = [{ pointer: '/e', values: pass('low', 'high') }]
    expect(faults({ efforts: ['low'], writes })).toEqual(['writes.0.values.high'])
    expect(faults({ efforts: ['low', 'huge'], writes })).toContain('efforts.1')
  })

  test.each([
    'reasoning_effort',
    '',
    '/',
    '/a//b',
    '/a~2',
    '/a/0',
    '/a/-',
    '/__proto__/x',
    '/model',
    '/messages/x',
    '/stream',
    '/stream_options/include_usage',
    '/input',
    '/1/2/3/4/5/6/7/8/9',
    '/a/b/c/d/e/f/g/h/i',
  ])('does not write at %p', (pointer) => {
    expect(faults({ efforts: ['low'], writes: [{ pointer, values: pass('low') }] })).toContain('writes.0.pointer')
  })

  test('writes no place twice, and none inside another', () => {
    const at = (...pointers: readonly string[]) =>
      faults({ efforts: ['low'], writes: pointers.map((pointer) => ({ pointer, values: pass('low') })) })
    expect(at('/a', '/b', '/ab')).toEqual([])
    expect(at('/a', '/a')).toEqual(['writes.1.pointer'])
    expect(at('/a/b', '/a')).toEqual(['writes.1.pointer'])
    expect(at('/a', '/a/b')).toEqual(['writes.1.pointer'])
  })

  test('bounds what it writes', () => {
    const of = (low: unknown) => faults({ efforts: ['low'], writes: [{ pointer: '/e', values: { low } }] })
    expect(of('x'.repeat(8000))).toEqual([])
    expect(of('x'.repeat(9000))).toEqual(['writes.0.values.low'])
    expect(of(Number.NaN)).toEqual(['writes.0.values.low'])
  })
})

test('failover takes statuses of errors only', () => {
  expect(failoverForm.parse({ statuses: [400, 599] })).toEqual({ statuses: [400, 599] })
  for (const wrong of [
    { statuses: [200] },
    { statuses: [600] },
    { max_attempts: 0 },
    { budget_seconds: 0 },
    { tries: 1 },
  ])
    expect(failoverForm.safeParse(wrong).success).toBe(false)
})
