/**
 * The PDF engine: PDFium compiled to WebAssembly, one instance for each process.
 *
 * Lives here: loading it, the functions of its C interface that are called, and memory. Its classes are left aside:
 * they return text without positions. What the functions mean is told by PDFium's public headers (fpdfview.h,
 * fpdf_text.h, fpdf_doc.h, fpdf_edit.h). Invariant: a pointer is a number that is valid until its owner is closed, and
 * a view of the memory is taken again after each call, since the memory may have moved.
 */
import { PDFiumLibrary } from '@hyzyla/pdfium'
import wasmFile from '@hyzyla/pdfium/pdfium.wasm' with { type: 'file' }
import { ReadFailure } from '../reading.ts'

type Call = (...values: number[]) => number

/** The functions used here; each takes and answers numbers, of which many are pointers and 0 is null. */
const functionNames = [
  'malloc',
  'free',
  'FPDF_LoadMemDocument',
  'FPDF_GetLastError',
  'FPDF_GetPageCount',
  'FPDF_CloseDocument',
  'FPDF_GetMetaText',
  'FPDF_LoadPage',
  'FPDF_ClosePage',
  'FPDF_GetPageWidthF',
  'FPDF_GetPageHeightF',
  'FPDF_RenderPageBitmap',
  'FPDF_PageToDevice',
  'FPDFText_LoadPage',
  'FPDFText_ClosePage',
  'FPDFText_CountChars',
  'FPDFText_GetUnicode',
  'FPDFText_GetLooseCharBox',
  'FPDFText_GetCharAngle',
  'FPDFText_GetFontSize',
  'FPDFText_GetMatrix',
  'FPDFText_GetFontInfo',
  'FPDFText_HasUnicodeMapError',
  'FPDFPage_CountObjects',
  'FPDFPage_GetObject',
  'FPDFPageObj_GetType',
  'FPDFPageObj_GetBounds',
  'FPDFPage_GetAnnotCount',
  'FPDFPage_GetAnnot',
  'FPDFPage_CloseAnnot',
  'FPDFAnnot_GetSubtype',
  'FPDFAnnot_GetFormFieldType',
  'FPDFAnnot_GetFormFieldName',
  'FPDFAnnot_GetFormFieldAlternateName',
  'FPDFAnnot_GetFormFieldValue',
  'FPDFAnnot_GetStringValue',
  'FPDFDOC_InitFormFillEnvironment',
  'FPDFDOC_ExitFormFillEnvironment',
  'FPDF_GetFormType',
  'FPDFBookmark_GetFirstChild',
  'FPDFBookmark_GetNextSibling',
  'FPDFBookmark_GetTitle',
  'FPDFBookmark_GetDest',
  'FPDFBookmark_GetAction',
  'FPDFAction_GetDest',
  'FPDFDest_GetDestPageIndex',
  'FPDFBitmap_CreateEx',
  'FPDFBitmap_FillRect',
  'FPDFBitmap_Destroy',
] as const

export type PdfiumFunctions = Readonly<Record<(typeof functionNames)[number], Call>>

interface EngineModule {
  readonly wasmExports: Readonly<Record<string, unknown>>
  readonly HEAPU8: Uint8Array
  readonly HEAPF32: Float32Array
  readonly HEAP32: Int32Array
}

export interface Pdfium {
  readonly call: PdfiumFunctions
  /** The memory as bytes, as 32-bit floats and integers: take it again after each call that may allocate. */
  readonly bytes: () => Uint8Array
  readonly floats: () => Float32Array
  readonly integers: () => Int32Array
  /** `scratchBytes` bytes for results of one call, never freed. */
  readonly scratch: number
}

export const scratchBytes = 4096

let loading: Promise<Pdfium> | undefined

/** The engine, loaded at the first call. Rejects when its WebAssembly file is missing. */
export function loadPdfium(): Promise<Pdfium> {
  loading ??= load()
  return loading
}

/**
 * Runs `work`; when the engine itself fails in it, as it does when the memory that WebAssembly can have is used up,
 * rejects with ReadFailure `too_complex`, and the next call loads a new engine, since the old one cannot go on.
 */
export async function withEngine<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(firstFailure(error) instanceof WebAssembly.RuntimeError)) throw error
    loading = undefined
    throw new ReadFailure(
      'too_complex',
      'The PDF needs more memory than there is. Divide it into smaller files.',
      error,
    )
  }
}

/** What is disposed of afterwards may fail in the broken engine too, which wraps the first failure. */
function firstFailure(error: unknown): unknown {
  let first = error
  while (first instanceof SuppressedError) first = first.suppressed as unknown
  return first
}

async function load(): Promise<Pdfium> {
  // `module` is where the library keeps what it was compiled to; its own types hide it.
  const library: unknown = await PDFiumLibrary.init({ wasmBinary: await Bun.file(wasmFile).arrayBuffer() })
  const engine = (library as { readonly module: EngineModule }).module
  const call = Object.fromEntries(functionNames.map((name) => [name, exported(engine, name)])) as PdfiumFunctions
  return {
    call,
    bytes: () => engine.HEAPU8,
    floats: () => engine.HEAPF32,
    integers: () => engine.HEAP32,
    scratch: call.malloc(scratchBytes),
  }
}

function exported(engine: EngineModule, name: string): Call {
  const found = engine.wasmExports[name]
  if (typeof found !== 'function') throw new Error(`PDFium has no function ${name}`)
  return found as Call
}

/** An open document and the copy of the file that it reads from. Dispose of it to free both. */
export interface PdfDocument extends Disposable {
  readonly pdfium: Pdfium
  readonly pointer: number
  readonly pageCount: number
}

/**
 * The file with a trailer of ours, when its own was cut off and the engine cannot find the catalog without it; null when
 * the file has one, or names no catalog. The engine finds the other objects itself.
 */
function withTrailer(bytes: Uint8Array): Uint8Array | null {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (end.includes('%%EOF', Math.max(0, end.length - 1_024))) return null
  const text = end.toString('latin1')
  const catalog = /(\d{1,7}) (\d{1,5}) obj\s{0,9}<<[^>]{0,2000}\/Type\s{0,9}\/Catalog\b/.exec(text)
  const root = catalog === null ? null : `${catalog[1]} ${catalog[2]} R`
  if (root === null) return null
  // Half a trailer would hide ours.
  const objects = end.subarray(0, end.lastIndexOf('endobj') + 'endobj'.length)
  return Buffer.concat([objects, Buffer.from(`\ntrailer\n<</Root ${root}>>\nstartxref\n0\n%%EOF\n`)])
}

/** Error codes of FPDF_GetLastError. */
const formatError = 3
const passwordNeeded = 4
const unknownSecurity = 5

/** Opens a file; reads no page of it. Rejects with ReadFailure `encrypted` or `damaged`. */
export async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  const pdfium = await loadPdfium()
  const { call } = pdfium
  const copy = call.malloc(bytes.length)
  if (copy === 0) throw new ReadFailure('too_complex', 'The PDF needs more memory than there is. Divide it.')
  pdfium.bytes().set(bytes, copy)
  const pointer = call.FPDF_LoadMemDocument(copy, bytes.length, 0)
  if (pointer === 0) {
    const code = call.FPDF_GetLastError()
    call.free(copy)
    const ended = code === formatError ? withTrailer(bytes) : null
    if (ended !== null) return openPdf(ended)
    throw openFailure(code)
  }
  return {
    pdfium,
    pointer,
    pageCount: call.FPDF_GetPageCount(pointer),
    [Symbol.dispose]: () => {
      call.FPDF_CloseDocument(pointer)
      call.free(copy)
    },
  }
}

function openFailure(code: number): ReadFailure {
  if (code === passwordNeeded) {
    return new ReadFailure('encrypted', 'The PDF needs a password. Save a copy without one and import that.')
  }
  if (code === unknownSecurity) {
    return new ReadFailure('encrypted', 'The PDF is protected in a way that cannot be read. Save a copy without it.')
  }
  return new ReadFailure('damaged', 'The file is not a complete PDF. Save or download it again.')
}

/** An open page. Dispose of it before its document. */
export interface PdfPage extends Disposable {
  readonly pdfium: Pdfium
  readonly pointer: number
  /** In points, 1/72 inch, as the page is shown. */
  readonly width: number
  readonly height: number
}

/** Opens a page, `index` counted from 0; null when it is damaged. */
export function openPage(document: PdfDocument, index: number): PdfPage | null {
  const { pdfium } = document
  const pointer = pdfium.call.FPDF_LoadPage(document.pointer, index)
  if (pointer === 0) return null
  return {
    pdfium,
    pointer,
    width: pdfium.call.FPDF_GetPageWidthF(pointer),
    height: pdfium.call.FPDF_GetPageHeightF(pointer),
    [Symbol.dispose]: () => {
      pdfium.call.FPDF_ClosePage(pointer)
    },
  }
}

/**
 * The UTF-16 text that a function writes: `write` gets a place and its size and answers the bytes that the whole text
 * needs with its final NUL, which is how all of PDFium's text functions work. Longer texts than the scratch are cut.
 */
export function readText(pdfium: Pdfium, write: (place: number, sizeBytes: number) => number): string {
  const needed = write(pdfium.scratch, scratchBytes)
  if (needed <= 2 || needed > scratchBytes) return ''
  const bytes = pdfium.bytes().subarray(pdfium.scratch, pdfium.scratch + needed - 2)
  return new TextDecoder('utf-16le').decode(bytes)
}
