import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cosine, embed } from '#test/support/contract/embedder-contract.ts'
import { tinyDimensions, tinyVector, writeTinyModel } from '#test/support/documents/tiny-onnx-model.ts'
import { EmbedFailure } from './embedder.ts'
import { LocalEmbedder } from './local-embedder.ts'
import { readModelFiles } from './local-model-files.ts'

const hasPackage = await import('@huggingface/transformers' as string).then(
  () => true,
  () => false,
)
let directory: string
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'sluice-local-model-'))))
afterAll(() => rm(directory, { recursive: true }))

async function failure(embedder: LocalEmbedder): Promise<EmbedFailure> {
  const thrown = await embed(embedder, ['a']).catch((error: unknown) => error)
  if (thrown instanceof EmbedFailure) return thrown
  throw new Error('it did not fail as it should', { cause: thrown })
}

async function tinyModel(name: string, more: Readonly<Record<string, object>> = {}): Promise<string> {
  const path = join(directory, name)
  await writeTinyModel(path)
  for (const [file, content] of Object.entries(more)) {
    await mkdir(join(path, file, '..'), { recursive: true })
    await writeFile(join(path, file), JSON.stringify(content))
  }
  return path
}

describe('without what it needs', () => {
  test('an empty directory is unavailable, and the message names the setting and the file but not the path', async () => {
    await using embedder = new LocalEmbedder({ modelDirectory: directory })
    const { code, retryable, message } = await failure(embedder)
    expect([code, retryable]).toEqual(['embedder_unavailable', false])
    expect(message).toContain('documents.local_model_dir has no config.json')
    expect(message).not.toContain(directory)
  })

  test.skipIf(hasPackage)(
    'the missing package is named with the command that installs it (skipped: it is installed)',
    async () => {
      await using embedder = new LocalEmbedder({ modelDirectory: await tinyModel('no-package') })
      const { code, message } = await failure(embedder)
      expect(code).toBe('embedder_unavailable')
      expect(message).toContain('npm install @huggingface/transformers')
    },
  )

  test('a thread that breaks down fails what waits, and the next text starts another', async () => {
    const script = join(directory, 'dying.ts')
    await writeFile(
      script,
      `import { parentPort } from 'node:worker_threads'\nparentPort.on('message', () => process.exit(3))\n`,
    )
    await using embedder = new LocalEmbedder({ modelDirectory: directory, script: pathToFileURL(script) })
    for (let round = 0; round < 2; round += 1)
      expect(await failure(embedder)).toMatchObject({ code: 'embedder_failed', retryable: true })
  })

  test('a text that nobody wants any more is not waited for', async () => {
    const script = join(directory, 'silent.ts')
    await writeFile(script, `import { parentPort } from 'node:worker_threads'\nparentPort.on('message', () => {})\n`)
    await using embedder = new LocalEmbedder({ modelDirectory: directory, script: pathToFileURL(script) })
    const leaving = new AbortController()
    const reason = new Error('cancelled')
    const call = embedder
      .embed({ texts: ['a'], purpose: 'passage', signal: leaving.signal })
      .catch((thrown: unknown) => thrown)
    leaving.abort(reason)
    expect(await call).toBe(reason)
  })

  test('a closed one takes no text', async () => {
    const embedder = new LocalEmbedder({ modelDirectory: directory })
    await embedder[Symbol.asyncDispose]()
    expect((await failure(embedder)).code).toBe('embedder_failed')
  })
})

describe('the files of a model say', () => {
  test('which weights there are, how vectors are pooled, and which prefix a text gets', async () => {
    const plain = readModelFiles(await tinyModel('plain'))
    expect(plain).toEqual({
      kind: 'found',
      files: { dtype: 'fp32', pooling: 'mean', prefix: { query: '', passage: '' } },
    })
    const told = await tinyModel('told', {
      '1_Pooling/config.json': { pooling_mode_cls_token: true },
      'config_sentence_transformers.json': { prompts: { query: 'query: ', document: 'passage: ' } },
    })
    await rm(join(told, 'onnx', 'model.onnx'))
    expect(readModelFiles(told)).toEqual({ kind: 'missing', file: 'onnx/model.onnx' })
    await writeFile(join(told, 'onnx', 'model_quantized.onnx'), '')
    expect(readModelFiles(told)).toEqual({
      kind: 'found',
      files: { dtype: 'q8', pooling: 'cls', prefix: { query: 'query: ', passage: 'passage: ' } },
    })
  })
})

describe.skipIf(!hasPackage)('with the package (skipped: @huggingface/transformers is not installed)', () => {
  test('a text is the mean of its words, of length 1, whatever is beside it', async () => {
    await using embedder = new LocalEmbedder({ modelDirectory: await tinyModel('run') })
    const [cat, both, dog] = await embed(embedder, ['cat', 'cat dog', 'dog'])
    expect(cat).toHaveLength(tinyDimensions)
    expect(cosine(cat!, new Float32Array(tinyVector('cat')))).toBeCloseTo(1, 5)
    const mean = tinyVector('cat').map((value, at) => value + tinyVector('dog')[at]!)
    expect(cosine(both!, new Float32Array(mean))).toBeCloseTo(1, 5)
    expect(Math.hypot(...dog!)).toBeCloseTo(1, 5)
  })

  test('more texts than one batch come back in order', async () => {
    await using embedder = new LocalEmbedder({ modelDirectory: await tinyModel('many') })
    const vectors = await embed(embedder, [...Array.from({ length: 40 }, () => 'river'), 'bank'])
    expect(vectors).toHaveLength(41)
    expect(cosine(vectors[40]!, new Float32Array(tinyVector('bank')))).toBeCloseTo(1, 5)
  })

  test('what the model wants before a question is put there', async () => {
    const prompts = { 'config_sentence_transformers.json': { prompts: { query: 'query: ' } } }
    await using embedder = new LocalEmbedder({ modelDirectory: await tinyModel('prompts', prompts) })
    const signal = new AbortController().signal
    const [question] = await embedder.embed({ texts: ['cat'], purpose: 'query', signal })
    const mean = tinyVector('query:').map((value, at) => value + tinyVector('cat')[at]!)
    expect(cosine(question!, new Float32Array(mean))).toBeCloseTo(1, 5)
  })

  test('weights that are not a model are unavailable', async () => {
    const path = await tinyModel('broken')
    await writeFile(join(path, 'onnx', 'model.onnx'), 'no model')
    await using embedder = new LocalEmbedder({ modelDirectory: path })
    expect((await failure(embedder)).code).toBe('embedder_unavailable')
  })
})
