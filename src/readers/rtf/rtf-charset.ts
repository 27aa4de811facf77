/**
 * Character encodings that RTF names by number: code pages of a document and character sets of its fonts.
 * Source: Rich Text Format Specification 1.9.1, "Character Set" and "Font Table".
 */

/** Code pages by their number where the Encoding Standard's label is not `windows-<number>`. */
const labelOfCodePage: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
}

const codePageOfCharset: Readonly<Record<number, number>> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
}

/** Font character set of the symbol fonts, whose codes are not letters. */
export const symbolCharset = 2

/** The code page of a font; undefined when it has that of the document. */
export function codePageOf(charset: number): number | undefined {
  return codePageOfCharset[charset]
}

/** The text of bytes in a code page; one that is not known is read as that of Western Europe. */
export function decodeCodePage(bytes: readonly number[], codePage: number): string {
  const label = labelOfCodePage[codePage] ?? (codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : undefined)
  return new TextDecoder((label ?? 'windows-1252') as Bun.Encoding).decode(Uint8Array.from(bytes))
}
