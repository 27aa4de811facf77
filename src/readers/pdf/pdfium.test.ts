import { expect, test } from 'bun:test'
import { column, writePdf } from '#test/support/documents/pdf-writer.ts'
import { loadPdfium, openPdf, withEngine } from './pdfium.ts'

const file = writePdf({ pages: [{ texts: column(['Words']) }] })
/** No document is there, so reading its first field leaves the memory. */
const nowhere = -4

test('a failure of the engine costs the file that it was reading, and no later one', async () => {
  const broken = await loadPdfium()
  const failing = withEngine(async () => {
    using document = await openPdf(file)
    return document.pdfium.call.FPDF_LoadPage(nowhere, 0)
  })
  expect(await failing.catch((error: unknown) => error)).toMatchObject({ code: 'too_complex' })
  expect(await loadPdfium()).not.toBe(broken)
  using document = await openPdf(file)
  expect(document.pageCount).toBe(1)
})

test('a failure of the caller is handed on as it is, and the engine stays', async () => {
  const engine = await loadPdfium()
  const mistake = new TypeError('mine')
  const failing = withEngine(() => Promise.reject(mistake))
  expect(await failing.catch((error: unknown) => error)).toBe(mistake)
  expect(await loadPdfium()).toBe(engine)
})
