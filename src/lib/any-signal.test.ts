import { describe, expect, test } from 'bun:test'
import { AnySignal } from './any-signal.ts'

describe('a signal of several', () => {
  test('is aborted with the first of them, with its reason', () => {
    const sources = [new AbortController(), new AbortController()]
    using any = new AnySignal(sources.map(({ signal }) => signal))
    expect(any.signal.aborted).toBe(false)
    sources[1]!.abort('second')
    sources[0]!.abort('first')
    expect(any.signal.reason).toBe('second')
  })

  test('is aborted from the start when one of them is', () => {
    using any = new AnySignal([new AbortController().signal, AbortSignal.abort('before')])
    expect(any.signal.reason).toBe('before')
  })

  test('does not hear of them any more once it is disposed', () => {
    const source = new AbortController()
    const any = new AnySignal([source.signal])
    any[Symbol.dispose]()
    source.abort()
    expect(any.signal.aborted).toBe(false)
  })
})
