/** Files that the documents question imports. */
import { writePdf } from '#test/support/documents/pdf-writer.ts'

const words =
  'the report of the committee finds that costs rose in every year but one while the number of visitors fell and so the board has decided to look at other ways of paying for the house'.split(
    ' ',
  )

/** A PDF of pages with 3,700 characters each; each seed makes another text. */
export function columnPdf(pages: number, seed: number): Uint8Array {
  let state = seed * 7919 + 1
  const word = (): string => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return words[state % words.length] ?? 'the'
  }
  const line = (): string => Array.from({ length: 15 }, word).join(' ').slice(0, 74)
  const page = (number: number) => ({
    texts: [
      { text: `Section ${number} of ${seed}`, x: 72, y: 740, size: 14, bold: true },
      ...Array.from({ length: 50 }, (_, index) => ({ text: line(), x: 72, y: 715 - index * 13 })),
    ],
  })
  return writePdf({ pages: Array.from({ length: pages }, (_, index) => page(index + 1)) })
}
