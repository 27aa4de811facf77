/**
 * What a reading process does for each operation. Everything large is read from files and written to files.
 *
 * Not here: the channel to the server (reading-process.ts). Each library is loaded by the first operation that needs it.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codePointLength } from '#chunkers/code-points.ts'
import type { Reading } from '#readers/reading.ts'
import type { ChunkRecord } from './chunk-record.ts'
import { chunksFile, marksFile, textFile, type Answer, type Marks, type OperationName, type Work } from './protocol.ts'

type Operation<Name extends OperationName> = (work: Work<Name>) => Promise<Answer<Name>>

/** By name. They reject with ReadFailure when it is the file's fault. */
export const operations: { readonly [Name in OperationName]: Operation<Name> } = {
  read: async ({ file, name, reader, limits, directory }) => {
    const { readFile } = await import('#readers/readers.ts')
    const bytes = await Bun.file(file).bytes()
    return keepReading(directory, await readFile({ bytes, name, reader, limits }))
  },

  chunk: async ({ directory, chunker }) => {
    const [{ chunkerOf }, { countTokensOf }, { codePointIndex }] = await Promise.all([
      import('#chunkers/chunkers.ts'),
      import('#chunkers/count-tokens.ts'),
      import('#chunkers/code-points.ts'),
    ])
    const reading = await keptReading(directory)
    const { units, overlap } = chunker
    const countTokens = await countTokensOf(chunker.tokenizer)
    const chunks = chunkerOf(chunker.name).chunk(reading, { units, overlap }, countTokens)
    const offsetOf = codePointIndex(reading.text)
    const writer = Bun.file(join(directory, chunksFile)).writer()
    for (const chunk of chunks) {
      const { start, end } = chunk
      const record: ChunkRecord = {
        ...chunk,
        start: offsetOf(start),
        end: offsetOf(end),
        text: reading.text.slice(start, end),
      }
      await writer.write(`${JSON.stringify(record)}\n`)
    }
    await writer.end()
    return { count: chunks.length }
  },

  render: async ({ file, directory, page, pixelsMax }) => {
    const [{ openPdf }, { renderPdfPage }] = await Promise.all([
      import('#readers/pdf/pdfium.ts'),
      import('#readers/pdf/render.ts'),
    ])
    const bytes = await Bun.file(file).bytes()
    const image = join(directory, `page-${page}.png`)
    await Bun.write(image, await renderPdfPage(bytes, page, pixelsMax))
    using document = await openPdf(bytes)
    return { image, pages: document.pageCount }
  },

  assemble: async ({ directory, texts, mediaType, warnings, limits }) => {
    const [{ markdownPart }, { TextBuilder }] = await Promise.all([
      import('#readers/markdown.ts'),
      import('#readers/text-builder.ts'),
    ])
    const builder = new TextBuilder(limits)
    for (const warning of warnings) builder.warn(warning)
    for (const text of texts) {
      builder.page()
      builder.append(markdownPart(text))
    }
    const reading = builder.reading({ mediaType, title: null })
    const title = reading.headings.find(({ level }) => level === 1)?.title ?? null
    return keepReading(directory, { ...reading, title })
  },
}

/** Writes `text` and `marks.json`. */
async function keepReading(directory: string, { text, ...marks }: Reading): Promise<Answer<'read'>> {
  const kept: Marks = marks
  await mkdir(directory, { recursive: true })
  await Promise.all([
    Bun.write(join(directory, textFile), text),
    Bun.write(join(directory, marksFile), JSON.stringify(kept)),
  ])
  const { mediaType, title, warnings, pages } = marks
  return { mediaType, title, warnings, pages: pages.at(-1)?.number ?? 0, characters: codePointLength(text) }
}

/** What `keepReading` wrote. */
async function keptReading(directory: string): Promise<Reading> {
  const [text, marks] = await Promise.all([
    Bun.file(join(directory, textFile)).text(),
    Bun.file(join(directory, marksFile)).json() as Promise<Marks>,
  ])
  return { ...marks, text }
}
