import { expect, test } from 'bun:test'
import { jsonType, mediaType, textType } from './answer-type.ts'

const pages = ['text/html', 'image/svg+xml', 'text/javascript', 'application/xhtml+xml', 'text/plain\r\nx: y', 'x', '']

test('an answer is never a page or a script, whatever its provider says', () => {
  for (const sent of [...pages, undefined]) {
    expect(jsonType(sent)).toBe('application/json')
    expect(mediaType(sent)).toBe('application/octet-stream')
    if (sent?.startsWith('text/plain') !== true) expect(textType(sent)).toBe('text/plain; charset=utf-8')
  }
})

test('a type that the endpoint can answer stays as it was sent', () => {
  expect(jsonType('application/json; charset=utf-8')).toBe('application/json; charset=utf-8')
  expect(jsonType('application/problem+json')).toBe('application/problem+json')
  expect(textType('text/vtt')).toBe('text/vtt')
  expect(mediaType('audio/mpeg')).toBe('audio/mpeg')
})
