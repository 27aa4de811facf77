/**
 * Reads RTF, by the parts in `rtf/`.
 */
import { ReadFailure } from '../reading.ts'
import type { Reader } from '../reading.ts'
import { RtfContent } from './rtf-content.ts'
import { readTokens } from './rtf-tokens.ts'
import { TextBuilder } from '../text-builder.ts'

/** Reads RTF; what was cut off is `damaged`, since its end is not known. */
export const rtfReader: Reader = {
  name: 'rtf',
  read: async ({ bytes, mediaType, limits }) => {
    const builder = new TextBuilder(limits)
    const content = new RtfContent(builder)
    readTokens(bytes, content)
    content.finish()
    if (!content.isRtf || content.openGroups > 0) {
      throw new ReadFailure('damaged', 'The file is not a complete RTF file. Save or download it again.')
    }
    return builder.reading({ mediaType, title: content.title })
  },
}
