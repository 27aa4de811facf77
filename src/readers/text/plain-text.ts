/** Plain text of any encoding. Form feeds, where a text has them, are its pages; headings are not guessed. */
import { decodeText } from './charset.ts'
import type { Reader } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'

/** Reads a text as it is, only without runs of empty lines and invisible characters. */
export const plainTextReader: Reader = {
  name: 'text',
  read: async ({ bytes, mediaType, limits }) => {
    const builder = new TextBuilder(limits)
    const { text, warning } = decodeText(bytes)
    if (warning !== null) builder.warn(warning)
    const pages = text.split('\f')
    for (const page of pages) {
      if (pages.length > 1) builder.page()
      builder.paragraph(page)
    }
    return builder.reading({ mediaType, title: null })
  },
}
