import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Secret } from '#lib/secret.ts'
import { createLogger, type LoggerOptions } from './log.ts'

const canary = 'CANARYcanary0123456789'

function collect(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6), elapsed: () => 0 }
  const logger = createLogger({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line), ...options })
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

test('a JSON record is one line with time, level, message and fields', () => {
  const { logger, lines } = collect()
  logger.info('started', { port: 3001, requestId: 'r1' })
  expect(lines).toEqual([
    '{"time":"2026-01-02T03:04:05.006Z","level":"info","message":"started","port":3001,"requestId":"r1"}\n',
  ])
})

test('a text record is one line for people, and no value can start another line', () => {
  const { logger, lines } = collect({ format: 'text' })
  logger.warn('slow\nnext', { model: 'a b', ms: 12, note: 'x\u2028y', list: [1, 2], gone: undefined })
  expect(lines).toEqual([
    '2026-01-02T03:04:05.006Z WARN  slow\\nnext model="a b" ms=12 note="x\\u2028y" list=[1,2] gone=undefined\n',
  ])
})

test('only records of the level and above are written, and none at silent', () => {
  const warn = collect({ level: 'warn' })
  const silent = collect({ level: 'silent' })
  for (const { logger } of [warn, silent]) {
    logger.debug('a')
    logger.info('b')
    logger.warn('c')
    logger.error('d')
  }
  expect(warn.records().map((record) => record['message'])).toEqual(['c', 'd'])
  expect(silent.lines).toEqual([])
})

test('with() adds fields to every record, and the nearest wins', () => {
  const { logger, records } = collect()
  logger.with({ requestId: 'r1', a: 1 }).with({ a: 2 }).info('x', { b: 3 })
  expect(records()[0]).toMatchObject({ requestId: 'r1', a: 2, b: 3 })
})

test('a field cannot replace the time, the level or the message', () => {
  const { logger, records } = collect()
  logger.info('real', { message: 'forged', level: 'error' })
  expect(records()[0]).toMatchObject({ message: 'real', level: 'info', message_: 'forged', level_: 'error' })
})

test('an error is written with its code and the chain of its causes', () => {
  const { logger, records } = collect()
  const root = Object.assign(new TypeError('socket closed'), { code: 'ECONNRESET' })
  logger.error('failed', { error: new Error('outer', { cause: new Error('middle', { cause: root }) }) })
  expect(records()[0]?.['error']).toMatchObject({
    name: 'Error',
    message: 'outer',
    stack: expect.stringContaining('log.test.ts'),
    cause: { message: 'middle', cause: { name: 'TypeError', message: 'socket closed', code: 'ECONNRESET' } },
  })
})

test('no credential reaches the sink, wherever in a record it hides', () => {
  const places: ((key: string) => Record<string, unknown>)[] = [
    (key) => ({ error: new Error(`bad key ${key}`, { cause: new Error(key) }) }),
    (key) => ({ deep: { list: [{ text: `Bearer ${key}` }] } }),
    (key) => ({ [key]: 1 }),
    (key) => ({ headers: new Headers({ 'x-api-key': canary, 'x-other': key }) }),
    (key) => ({ map: new Map([[key, key]]), set: new Set([key]) }),
    (key) => ({ url: new URL(`https://u:${canary}@example.com/?a=${key}`) }),
    () => ({ authorization: canary, nested: { Password: canary } }),
    () => ({ secret: new Secret(canary), value: new Secret(canary), plain: `so ${canary} it is` }),
    (key) => ({ body: new TextEncoder().encode(key) }),
    (key) => ({ long: `${'x '.repeat(4090)}${key}` }),
  ]
  for (const format of ['json', 'text'] as const) {
    const { logger, lines } = collect({ format, secrets: () => [new Secret(canary)] })
    const key = fc.constantFrom(`sk-slu-abcd1234_${canary}`, `sk-${canary}`, `sk-ant-${canary}`)
    fc.assert(
      fc.property(fc.constantFrom(...places), key, (place, value) => logger.info(`used ${value}`, place(value))),
    )
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join('')).not.toContain(canary.slice(0, 6))
  }
})

test('any value can be logged: circular, hostile, huge, of any type', () => {
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  const hostile = {
    get boom(): never {
      throw new Error('no')
    },
  }
  const { logger, lines, records } = collect()
  logger.info('x', { circular, hostile, big: 10n, nan: NaN, fn: () => 1, nothing: null, huge: 'x'.repeat(1_000_000) })
  expect(records()[0]).toMatchObject({
    hostile: '[unreadable]',
    big: '10',
    nan: 'NaN',
    fn: '[function]',
    nothing: null,
  })
  expect(lines[0]?.length).toBeLessThan(20_000)
  fc.assert(fc.property(fc.anything(), (value) => logger.info('any', { value })))
  expect(records().length).toBe(lines.length)
})

test('a sink that fails does not fail the caller', () => {
  const { logger } = collect({
    write: () => {
      throw new Error('EPIPE')
    },
  })
  expect(() => logger.error('x')).not.toThrow()
})
