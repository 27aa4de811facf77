/**
 * What a reading process does for each operation. Everything large is read from files and written to files.
 *
 * Not here: the channel to the server (reading-process.ts). Each library is loaded by the first operation that needs it.
 */
import { join } from 'node:path'
import type { ResolvedChunker } from '#chunkers/chunkers.ts'
import type { OcrOptions } from '#readers/ocr/tesseract.ts'
import type { Recogniser, Reading } from '#readers/reading.ts'
import type { Cue } from '#readers/text/subtitles.ts'
import type { ChunkRecord } from './chunk-record.ts'
import { chunksFile, pagesFile, type Answer, type OperationName, type PageRecord, type Work } from './protocol.ts'

/** What the server is told while an operation goes on. */
export interface Progress {
  /** The text has been read; it has so many pages. */
  chunking(pages: number): void
  /** Before what takes time of its own: pages, pictures whose text is recognised, characters to cut. Waited for. */
  working(amount: { readonly pages?: number; readonly pictures?: number; readonly characters?: number }): Promise<void>
}

type Operation<Name extends OperationName> = (work: Work<Name>, progress: Progress) => Promise<Answer<Name>>

/** The operations by name. They reject with ReadFailure when it is the file's fault. */
export const operations: { readonly [Name in OperationName]: Operation<Name> } = {
  async unpack(work) {
    const { unpackImport } = await import('../unpacking/unpack-import.ts')
    return unpackImport(work)
  },

  async detect({ file, name }) {
    const { detectMediaType } = await import('#readers/types/media-type.ts')
    // Mapped, so that only the parts that are looked at are read.
    return { mediaType: detectMediaType(Bun.mmap(file), name) }
  },

  async read(work, progress) {
    const reading = await readingOf(work, progress)
    progress.chunking(pagesOf(reading))
    return await cut(reading, work, progress)
  },

  async render({ file, directory, page, pixelsMax, passage = '', ocr }, progress) {
    const [{ openPdf }, { renderPdfPage }] = await Promise.all([
      import('#readers/pdf/pdfium.ts'),
      import('#readers/pdf/render.ts'),
    ])
    using recogniser = await recogniserOf(ocr, progress)
    const bytes = await Bun.file(file).bytes()
    const image = join(directory, `page-${page}.png`)
    await Bun.write(
      image,
      await renderPdfPage(bytes, page, { pixelsMax, passage, recogniser: recogniser ?? undefined }),
    )
    using document = await openPdf(bytes)
    return { image, pages: document.pageCount }
  },

  async divide({ file, mediaType, limits }) {
    const { divideRecording } = await import('#readers/media/divide-recording.ts')
    return { parts: divideRecording(await Bun.file(file).bytes(), mediaType, limits) }
  },

  async assemble({ directory, texts, mediaType, warnings, limits, chunker }, progress) {
    const [{ markdownPart }, { TextBuilder }, { appendCues }] = await Promise.all([
      import('#readers/text/markdown.ts'),
      import('#readers/text-builder.ts'),
      import('#readers/text/subtitles.ts'),
    ])
    const builder = new TextBuilder(limits)
    for (const warning of warnings) builder.warn(warning)
    if (areCues(texts)) appendCues(builder, texts)
    else {
      for (const text of texts) {
        builder.page()
        builder.append(markdownPart(text))
      }
    }
    const reading = builder.reading({ mediaType, title: null })
    const title = reading.headings.find(({ level }) => level === 1)?.title ?? null
    progress.chunking(pagesOf(reading))
    return cut({ ...reading, title }, { chunker, directory }, progress)
  },
}

function areCues(texts: readonly string[] | readonly Cue[]): texts is readonly Cue[] {
  return typeof texts[0] === 'object'
}

async function readingOf(
  { file, name, reader, answer, limits, mainText, ocr }: Work<'read'>,
  progress: Progress,
): Promise<Reading> {
  const bytes = await Bun.file(file).bytes()
  if (answer !== undefined) {
    const { readAnswer } = await import('#readers/external/external-answer.ts')
    return readAnswer(bytes, answer, limits)
  }
  const { readFile } = await import('#readers/readers.ts')
  using recogniser = await recogniserOf(ocr, progress)
  return await readFile({
    bytes,
    name,
    reader,
    limits,
    mainText,
    recogniser: recogniser ?? undefined,
    beforePages: (pages) => progress.working({ pages }),
  })
}

async function recogniserOf(ocr: OcrOptions | undefined, progress: Progress): Promise<Recogniser | null> {
  if (ocr === undefined) return null
  const { createRecogniser } = await import('#readers/ocr/recogniser.ts')
  return createRecogniser(ocr, () => progress.working({ pictures: 1 }))
}

function pagesOf({ pages }: Reading): number {
  return pages.at(-1)?.number ?? 0
}

/** Writes `chunks.jsonl` and `pages.json`. */
async function cut(
  reading: Reading,
  { chunker, directory }: { readonly chunker: ResolvedChunker; readonly directory: string },
  progress: Progress,
): Promise<Answer<'read'>> {
  const [{ chunkerOf }, { countTokensOf }, { codePointIndex, codePointLength }] = await Promise.all([
    import('#chunkers/chunkers.ts'),
    import('#chunkers/count-tokens.ts'),
    import('#chunkers/code-points.ts'),
  ])
  const { name, units, overlap, tokenizer } = chunker
  const { text, mediaType, title, stated, warnings } = reading
  await progress.working({ characters: text.length })
  const chunks = chunkerOf(name).chunk(reading, { units, overlap }, await countTokensOf(tokenizer))
  const offsetOf = codePointIndex(text)
  const writer = Bun.file(join(directory, chunksFile)).writer()
  for (const chunk of chunks) {
    const { start, end } = chunk
    const record: ChunkRecord = { ...chunk, start: offsetOf(start), end: offsetOf(end), text: text.slice(start, end) }
    await writer.write(`${JSON.stringify(record)}\n`)
  }
  await writer.end()
  const pages = reading.pages.map((page): PageRecord => ({ ...page, start: offsetOf(page.start) }))
  await Bun.write(join(directory, pagesFile), JSON.stringify(pages))
  const characters = codePointLength(text)
  return { mediaType, title, stated, warnings, pages: pagesOf(reading), characters, chunks: chunks.length }
}
