/** Source code and configuration files: kept line by line as they are, and marked as code from beginning to end. */
import { decodeText } from './charset.ts'
import type { Reader } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'

/** Reads text of which every line and every space counts. */
export const sourceCodeReader: Reader = {
  name: 'source',
  read: async ({ bytes, mediaType, limits }) => {
    const builder = new TextBuilder(limits)
    const { text, warning } = decodeText(bytes)
    if (warning !== null) builder.warn(warning)
    builder.code(text)
    return builder.reading({ mediaType, title: null })
  },
}
