/** Reads a picture of text by recognition: paragraphs as the engine found them. */
import { imageFormatOf } from '#lib/image-header.ts'
import { type Reader, ReadFailure, type ReadRequest, type Reading, type RecognisedWord } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'

/** What a record says of text that a machine has seen and nobody has written. */
export const recognisedWarning = 'was recognised in pictures and may differ from them in some letters.'

/** Reads pictures; refuses them where there is no text recognition. */
export const pictureReader: Reader = { name: 'picture', read: readPicture }

async function readPicture({ bytes, mediaType, limits, recogniser }: ReadRequest): Promise<Reading> {
  if (imageFormatOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) === null) {
    throw new ReadFailure(
      'damaged',
      'The file is not a picture, so the reader picture cannot read it. Leave it at auto.',
    )
  }
  if (recogniser === undefined) {
    throw new ReadFailure(
      'unsupported_type',
      'The file is a picture. Import it with a reader that uses a vision model, or have an administrator turn text recognition on.',
    )
  }
  const found = await recogniser.recognise(bytes)
  if (found === null)
    throw new ReadFailure('too_complex', 'The file has more pictures than are recognised of one file.')
  if (found.words.length === 0) throw new ReadFailure('no_text', 'No text was recognised in the picture.')
  const builder = new TextBuilder(limits)
  builder.page()
  for (const paragraph of paragraphsOf(found.words)) builder.paragraph(paragraph)
  builder.warn(`The text ${recognisedWarning}`)
  return builder.reading({ mediaType, title: null })
}

/** A word that is divided at the end of a line is put together. */
function paragraphsOf(words: readonly RecognisedWord[]): string[] {
  const paragraphs: string[] = []
  let last: RecognisedWord | null = null
  for (const word of words) {
    const open = paragraphs.at(-1)
    if (open === undefined || word.paragraph !== last?.paragraph) paragraphs.push(word.text)
    else if (word.line !== last.line && /\p{L}-$/u.test(open.slice(-3)) && /^\p{Ll}/u.test(word.text)) {
      paragraphs[paragraphs.length - 1] = open.slice(0, -1) + word.text
    } else paragraphs[paragraphs.length - 1] = `${open} ${word.text}`
    last = word
  }
  return paragraphs
}
