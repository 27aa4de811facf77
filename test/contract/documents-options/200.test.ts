/** GET /api/v1/documents/options: what an import can name on this server. */
import { expect, test } from 'bun:test'
import { componentsAnswer } from '#documents/import/components.ts'
import { documentsOfFile, idle, startDocuments } from '#test/support/app/documents-app.ts'

const app = documentsOfFile({ set: idle })

interface Options {
  readonly readers: { readonly names: readonly string[] }
  readonly chunkers: {
    readonly data: readonly {
      readonly name: string
      readonly unit: string
      readonly chunk_units: number
      readonly chunk_overlap: number
      readonly chunk_units_max: number
    }[]
  }
  readonly embedders: { readonly names: readonly string[]; readonly default: string }
}

async function options(): Promise<Options> {
  const response = await app().request('GET', '/api/v1/documents/options')
  expect(response.status).toBe(200)
  return componentsAnswer.parse(await response.json())
}

test('everything that is listed can be imported with, with the defaults and at the limits that it has', async () => {
  const { readers, chunkers, embedders } = await options()
  for (const name of readers.names.filter((each) => each !== 'vision' && each !== 'transcription'))
    await app().accepted([{ bytes: `read by ${name}` }], { reader: name })
  for (const { name, chunk_units: units, chunk_overlap: overlap, chunk_units_max: most } of chunkers.data) {
    await app().accepted([{ bytes: `cut by ${name}` }], { chunker: name, chunk_units: units, chunk_overlap: overlap })
    await app().accepted([{ bytes: `cut by ${name} at most` }], { chunker: name, chunk_units: most })
    const refused = await app().import([{ bytes: 'a' }], { chunker: name, chunk_units: most + 1 })
    expect(refused.status).toBe(422)
  }
  for (const name of embedders.names) await app().accepted([{ bytes: `embedded by ${name}` }], { embedder: name })
})

test('names the chunkers and the unit that each counts', async () => {
  const { chunkers, embedders } = await options()
  expect(chunkers.data.map(({ name, unit }) => [name, unit])).toEqual([
    ['token', 'tokens'],
    ['sentence', 'sentences'],
    ['character', 'characters'],
    ['page', 'pages'],
    ['semantic', 'tokens'],
  ])
  expect(embedders).toEqual({ names: ['hashing'], default: 'hashing' })
})

test('shows the settings of the server', async () => {
  await using set = await startDocuments({
    set: [
      ...idle,
      'documents.categories=notes, letters',
      'documents.chunker=sentence',
      'documents.embedder=plain',
      'documents.max_file_bytes=12345',
    ],
  })
  const answer = (await (await set.request('GET', '/api/v1/documents/options')).json()) as object
  expect(answer).toMatchObject({
    chunkers: { default: 'sentence' },
    embedders: { default: 'plain' },
    categories: ['notes', 'letters'],
    max_file_bytes: 12_345,
  })
  const [id] = await set.accepted([{ bytes: 'with the defaults' }])
  expect(await set.record(id!)).toMatchObject({ chunker: { name: 'sentence' }, embedder: { name: 'plain' } })
})
