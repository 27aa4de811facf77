/**
 * What was filled into the fields of a form. A page's text does not contain its fields, so each page's values follow it, with
 * the name that the form shows for its field. Source: fpdf_annot.h, fpdf_formfill.h.
 */
import { entryOf } from './annotations.ts'
import { readText, type PdfDocument, type PdfPage } from './pdfium.ts'

/** FPDF_FORMFILLINFO of version 1 is a number and at most 30 addresses of functions; none is called for values. */
const formInfoBytes = 256
const widget = 20
const fieldsMax = 10_000
const [pushButton, checkBox, radioButton, signature] = [1, 2, 3, 7]

/** The forms of an open document. Dispose of it before the document. */
export interface PdfForm extends Disposable {
  /** `name: value` of each field on the page that has a value, in the order of the file; each field once in a document. */
  valuesOf(page: PdfPage): readonly string[]
}

/** The form of a document; null when it has none. */
export function openForm({ pdfium, pointer }: PdfDocument): PdfForm | null {
  const { call } = pdfium
  if (call.FPDF_GetFormType(pointer) === 0) return null
  const info = call.malloc(formInfoBytes)
  if (info === 0) return null
  pdfium.bytes().fill(0, info, info + formInfoBytes)
  pdfium.bytes()[info] = 1
  const form = call.FPDFDOC_InitFormFillEnvironment(pointer, info)
  const given = new Set<string>()
  return {
    valuesOf(page) {
      const count = form === 0 ? 0 : Math.min(call.FPDFPage_GetAnnotCount(page.pointer), fieldsMax)
      const values: string[] = []
      for (let at = 0; at < count; at += 1) {
        const value = valueAt(page, form, at)
        if (value === null || given.has(value) || given.size > fieldsMax) continue
        given.add(value)
        values.push(value)
      }
      return values
    },
    [Symbol.dispose]: () => {
      if (form !== 0) call.FPDFDOC_ExitFormFillEnvironment(form)
      call.free(info)
    },
  }
}

function valueAt({ pdfium, pointer }: PdfPage, form: number, at: number): string | null {
  const { call } = pdfium
  const annotation = call.FPDFPage_GetAnnot(pointer, at)
  if (annotation === 0) return null
  try {
    if (call.FPDFAnnot_GetSubtype(annotation) !== widget) return null
    const kind = call.FPDFAnnot_GetFormFieldType(form, annotation)
    if (kind <= 0 || kind === pushButton || kind === signature) return null
    const isMark = kind === checkBox || kind === radioButton
    const text = (
      name: 'FPDFAnnot_GetFormFieldName' | 'FPDFAnnot_GetFormFieldAlternateName' | 'FPDFAnnot_GetFormFieldValue',
    ) => readText(pdfium, (place, size) => call[name](form, annotation, place, size)).trim()
    // Which of its appearances a box to tick shows: ISO 32000-1, 12.7.4.2.3.
    const value = isMark ? entryOf({ pdfium }, annotation, 'AS') : text('FPDFAnnot_GetFormFieldValue')
    if (value === '' || (isMark && value === 'Off')) return null
    const name = text('FPDFAnnot_GetFormFieldAlternateName') || text('FPDFAnnot_GetFormFieldName')
    return name === '' ? value : `${name}: ${value}`
  } finally {
    call.FPDFPage_CloseAnnot(annotation)
  }
}
