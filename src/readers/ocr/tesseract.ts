/**
 * The engine of text recognition: Tesseract 5 compiled to WebAssembly, from packages that need not be there.
 *
 * Lives here: finding the packages and language data, and calling the engine directly; the workers of tesseract.js would
 * be processes within this process, with a download of what is missing. Nothing is fetched: what is not on the disk is
 * not there. What the functions mean is told by Tesseract's baseapi.h.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { packagePath } from '#lib/own-scripts.ts'
import { ReadFailure, type RecognisedWord } from '../reading.ts'

export interface OcrOptions {
  /** Names of Tesseract's language data, such as `eng`, the most likely first. */
  readonly languages: readonly string[]
  /** Where further language data is; null for the packages alone. */
  readonly directory: string | null
  /** Pictures of one file whose text is recognised. */
  readonly pagesMax: number
  /** Leaves files that hold nothing but pictures to a model that sees. */
  readonly besideTextOnly: boolean
}

/** What is used of the package `tesseract.js-core`. */
interface CoreModule {
  readonly FS: {
    readonly writeFile: (path: string, bytes: Uint8Array) => void
    readonly unlink: (path: string) => void
  }
  readonly TessBaseAPI: new () => BaseApi
}

interface BaseApi {
  Init(directory: string, languages: string, mode: number): number
  SetVariable(name: string, value: string): boolean
  /** Reads the file /input; 0 when it could. */
  SetImageFile(exif: number, angle: number): number
  Recognize(monitor: null): number
  GetTSVText(page: number): string
  Clear(): void
  End(): void
}

const corePackage = 'tesseract.js-core'
const coreScript = `${corePackage}/tesseract-core-simd-lstm.js`
const coreWasm = `${corePackage}/tesseract-core-simd-lstm.wasm`
const neuralNetworkOnly = 1
/** The largest language data of the project has 50 MB. */
const dataBytesMax = 128 * 1_048_576
const inputFile = '/input'
/** Rows of the table that is answered which are words: level, page, block, paragraph, line, word, box, confidence, text. */
const wordLevel = '5'

/** A name of language data: `eng`, `chi_sim`, `deu_latf`. */
export const languageName = /^[a-z]{3}(?:_[a-z]{2,6}){0,2}$/i

/** Whether the engine is installed. Its language data may still be missing. */
export function hasTesseract(): boolean {
  return packagePath(coreScript) !== null && packagePath(coreWasm) !== null
}

/** Dispose of it to free its memory. */
export interface Tesseract extends Disposable {
  /** The words of a picture whose EXIF orientation is `exif`; null when it cannot be decoded. */
  read(file: Uint8Array, exif: number): readonly RecognisedWord[] | null
}

/** Loads engine and languages. Rejects with ReadFailure that tells what is to be installed. */
export async function openTesseract(options: Pick<OcrOptions, 'languages' | 'directory'>): Promise<Tesseract> {
  const script = packagePath(coreScript)
  const wasm = packagePath(coreWasm)
  if (script === null || wasm === null) throw missing(`the package ${corePackage}`)
  const { default: create } = (await import(script)) as {
    readonly default: (options: object) => Promise<CoreModule>
  }
  const quiet = (): void => {}
  const core = await create({ wasmBinary: await Bun.file(wasm).bytes(), print: quiet, printErr: quiet })
  for (const language of options.languages) {
    core.FS.writeFile(`/${language}.traineddata`, await languageData(language, options.directory))
  }
  const api = new core.TessBaseAPI()
  if (api.Init('/', options.languages.join('+'), neuralNetworkOnly) !== 0) {
    throw missing(`language data that fits the engine for ${options.languages.join(', ')}`)
  }
  return {
    read: (file, exif) => recognise(core, api, { file, exif }),
    [Symbol.dispose]: () => api.End(),
  }
}

function recognise(
  { FS }: CoreModule,
  api: BaseApi,
  { file, exif }: { readonly file: Uint8Array; readonly exif: number },
): readonly RecognisedWord[] | null {
  FS.writeFile(inputFile, file)
  try {
    if (api.SetImageFile(exif, 0) !== 0) return null
    // Whole pages in columns and blocks.
    api.SetVariable('tessedit_pageseg_mode', '3')
    if (api.Recognize(null) !== 0) return []
    return wordsOf(api.GetTSVText(0))
  } finally {
    api.Clear()
    FS.unlink(inputFile)
  }
}

function wordsOf(table: string): readonly RecognisedWord[] {
  const words: RecognisedWord[] = []
  let [line, paragraph, lastLine, lastParagraph] = [-1, -1, '', '']
  for (const row of table.split('\n')) {
    const [level, page, block, part, ofPart, , left, top, width, height, confidence, text = ''] = row.split('\t')
    if (level !== wordLevel || text.trim() === '') continue
    const inParagraph = `${page} ${block} ${part}`
    const inLine = `${inParagraph} ${ofPart}`
    if (inParagraph !== lastParagraph) paragraph += 1
    if (inLine !== lastLine) line += 1
    ;[lastLine, lastParagraph] = [inLine, inParagraph]
    const [x, y] = [Number(left), Number(top)]
    const box = { left: x, top: y, right: x + Number(width), bottom: y + Number(height) }
    words.push({ text: text.trim(), ...box, line, paragraph, confidence: Number(confidence) })
  }
  return words
}

/** From the directory of the administrator, else from the package of the language. */
async function languageData(language: string, directory: string | null): Promise<Uint8Array> {
  if (!languageName.test(language)) throw missing('a language of that name')
  const inDirectory =
    directory === null
      ? []
      : [`${language}.traineddata`, `${language}.traineddata.gz`].map((name) => join(directory, name))
  const inPackage = packagePath(`@tesseract.js-data/${language}/4.0.0_best_int/${language}.traineddata.gz`)
  const path = [...inDirectory, inPackage].find((each) => each !== null && existsSync(each)) ?? null
  if (path === null) throw missing(`language data for ${language}`)
  const file = Bun.file(path)
  if (file.size > dataBytesMax) throw missing(`language data of ordinary size for ${language}`)
  const bytes = await file.bytes()
  return path.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: dataBytesMax }) : bytes
}

function missing(what: string): ReadFailure {
  return new ReadFailure(
    'no_text',
    `The text of pictures cannot be recognised: the server has not ${what}. An administrator can install it, or set documents.vision_model.`,
  )
}
