/** The options of the import dialog, and the form fields that they become. */
import type { ImportFields } from '../upload/upload-queue.ts'

export interface ImportOptions {
  readonly category: string
  /** `self`, `everyone`, `group:<name>`, or `others` for those in `owners`. */
  readonly audience: string
  /** User ids, e-mail addresses, group:<name>; separated by commas. */
  readonly owners: string
  /** Empty = the server's default, here and below. */
  readonly reader: string
  /** The model that reads images. */
  readonly readerModel: string
  readonly chunker: string
  readonly chunkUnits: string
  readonly chunkOverlap: string
  readonly embedder: string
}

export const defaultImportOptions: ImportOptions = {
  category: 'general',
  audience: 'self',
  owners: '',
  reader: '',
  readerModel: '',
  chunker: '',
  chunkUnits: '',
  chunkOverlap: '',
  embedder: '',
}

/** The form fields of an import. Empty options are left to the server. */
export function formFieldsOf(options: ImportOptions): ImportFields {
  const { category, readerModel, chunkUnits, chunkOverlap, chunker, embedder } = options
  const reader =
    readerModel === '' ? options.reader : JSON.stringify({ name: options.reader || 'auto', model: readerModel })
  const single = Object.entries({ reader, chunker, embedder, chunk_units: chunkUnits, chunk_overlap: chunkOverlap })
  return [
    ['category', category.trim()],
    ...ownersOf(options).map((owner) => ['owners', owner] as const),
    ...single.filter(([, value]) => value !== ''),
  ]
}

function ownersOf({ audience, owners }: ImportOptions): readonly string[] {
  if (audience === 'self') return []
  if (audience !== 'others') return [audience]
  return owners
    .split(',')
    .map((owner) => owner.trim())
    .filter((owner) => owner !== '')
}
