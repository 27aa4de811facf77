/** 422 of POST /api/v1/documents: a body that is no list of files, or options that do not hold; `param` names the first. */
import { describe, expect, test } from 'bun:test'
import { documentsOfFile, idle } from '#test/support/app/documents-app.ts'
import { expectRefusal } from '#test/support/contract/refusal.ts'

const app = documentsOfFile({ set: idle })
const file = { name: 'a.txt', category: 'notes', bytes: 'text' }
const refusal = { status: 422, type: 'invalid_request_error', code: 'validation_failed' } as const

async function refusedFor(body: unknown, param: string | null): Promise<string> {
  const response = await app().request('POST', '/api/v1/documents', { body: JSON.stringify(body) })
  return (await expectRefusal(response, { ...refusal, param })).message
}

describe('of the body', () => {
  const bodies: readonly (readonly [string, unknown, string | null])[] = [
    ['that is a list', [file], null],
    ['that is a string', 'files', null],
    ['that is null', null, null],
    ['without files', {}, 'files'],
    ['with no file', { files: [] }, 'files'],
    ['with files that are no list', { files: file }, 'files'],
    ['with a wish that is no boolean', { files: [file], wait_for_completion: 'yes' }, 'wait_for_completion'],
    ['with a reader that is a number', { files: [file], reader: 1 }, 'reader'],
    ['with units that are no number', { files: [file], chunk_units: '256' }, 'chunk_units'],
    ['with units that are no whole number', { files: [file], chunk_units: 1.5 }, 'chunk_units'],
  ]
  for (const [which, body, param] of bodies) {
    test(which, async () => expect(await refusedFor(body, param)).not.toBe(''))
  }

  test('with more files than a request may have', async () => {
    const files = Array.from({ length: 10_001 }, () => file)
    expect(await refusedFor({ files }, 'files')).toContain('10000')
  })
})

describe('of reader, chunker and embedder', () => {
  const readers = 'auto, text, markdown, html, csv, json'
  const cases: readonly (readonly [string, object, string, readonly string[]])[] = [
    ['a reader that there is not', { reader: 'Ocr' }, 'reader', ['"Ocr"', readers, 'vision']],
    ['a reader object that there is not', { reader: { name: 'Ocr' } }, 'reader', ['vision']],
    ['an option that a reader has not', { reader: { name: 'pdf', dpi: 300 } }, 'reader.dpi', ['has none']],
    ['an unknown option of auto', { reader: { name: 'auto', dpi: 3 } }, 'reader.dpi', ['model, prompt']],
    ['a prompt that is no text', { reader: { name: 'auto', model: 'plain', prompt: 5 } }, 'reader.prompt', ['text']],
    ['the reader of pictures without a model', { reader: 'vision' }, 'reader.model', ['multimodal']],
    ['a model that is no name', { reader: { name: 'vision', model: 5 } }, 'reader.model', ['name of a model']],
    [
      'a chunker that there is not',
      { chunker: 'Word' },
      'chunker',
      ['"Word"', 'token, sentence, character, page, semantic'],
    ],
    [
      'an option that a chunker has not',
      { chunker: { name: 'token', size: 9 } },
      'chunker.size',
      ['units, overlap, tokenizer'],
    ],
    ['a tokenizer that there is not', { chunker: { name: 'token', tokenizer: 'x' } }, 'chunker.tokenizer', ['one of']],
    ['an embedder that there is not', { embedder: 'no-model' }, 'embedder', ['"no-model"', 'hashing', '/ai/v1/models']],
    ['a local embedder that is not configured', { embedder: 'local' }, 'embedder', ['documents.local_model_dir']],
    ['an option of hashing', { embedder: { name: 'hashing', dimensions: 3 } }, 'embedder.dimensions', ['has none']],
    ['an option that a model has not', { embedder: { name: 'plain', size: 3 } }, 'embedder.size', ['dimensions']],
    ['dimensions of zero', { embedder: { name: 'plain', dimensions: 0 } }, 'embedder.dimensions', ['1 to 16384']],
  ]
  for (const [which, fields, param, said] of cases) {
    test(which, async () => {
      const message = await refusedFor({ files: [file], ...fields }, param)
      for (const part of said) expect(message).toContain(part)
    })
  }
})

describe('of units and overlap', () => {
  const cases: readonly (readonly [string, object, string])[] = [
    ['no units', { chunk_units: 0 }, 'chunk_units'],
    ['fewer than none', { chunk_units: -5 }, 'chunk_units'],
    ['more than the chunker takes', { chunk_units: 1_000_000 }, 'chunk_units'],
    ['an overlap below zero', { chunk_overlap: -1 }, 'chunk_overlap'],
    ['an overlap as large as the default units', { chunk_overlap: 256 }, 'chunk_overlap'],
    ['an overlap as large as the units', { chunk_units: 10, chunk_overlap: 10 }, 'chunk_overlap'],
    [
      'an overlap larger than the units of the object',
      { chunker: { name: 'sentence', units: 5 }, chunk_overlap: 6 },
      'chunk_overlap',
    ],
  ]
  for (const [which, fields, param] of cases) {
    test(which, async () => expect(await refusedFor({ files: [file], ...fields }, param)).not.toBe(''))
  }

  test('the largest overlap that is less than the units is taken', async () => {
    await app().accepted([{ bytes: 'largest overlap' }], { chunk_units: 10, chunk_overlap: 9 })
  })
})

describe('of a form', () => {
  const formRefused = async (fields: Readonly<Record<string, string>>, files: number, param: string) => {
    const form = new FormData()
    for (let at = 0; at < files; at += 1) form.append('files', new Blob([`text ${at}`]), `${at}.txt`)
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    const { message } = await expectRefusal(await app().form(form), { ...refusal, param })
    expect(await app().onTheirWay()).toEqual([])
    return message
  }

  test('without a file', async () => expect(await formRefused({ category: 'c' }, 0, 'files')).toContain('no file'))
  test('with units that are no number', async () => {
    await formRefused({ category: 'c', chunk_units: 'many' }, 1, 'chunk_units')
  })
  test('with a chunker that there is not', async () => {
    await formRefused({ category: 'c', chunker: 'Word' }, 1, 'chunker')
  })
})

test('what is refused imports nothing', async () => {
  const before = await app().listed('?limit=200')
  await refusedFor({ files: [{ ...file, bytes: 'all is right here' }], chunk_units: 'many' }, 'chunk_units')
  expect(await app().listed('?limit=200')).toEqual(before)
})
