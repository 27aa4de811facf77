/** What the import dialog asks for, and the form fields that it becomes. */
import type { ImportFields } from '../upload/upload-queue.ts'

export interface ImportWishes {
  readonly category: string
  /** `self`, `everyone`, `group:<name>`, or `others` for those in `owners`. */
  readonly audience: string
  /** User ids, e-mail addresses, group:<name>; separated by commas. */
  readonly owners: string
  /** Empty = the server's default, here and below. */
  readonly reader: string
  /** The model that looks at pictures. */
  readonly readerModel: string
  readonly chunker: string
  readonly chunkUnits: string
  readonly chunkOverlap: string
  readonly embedder: string
}

export const noWishes: ImportWishes = {
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

/** Only what was asked for: the rest is the server's to choose. */
export function fieldsOf(wishes: ImportWishes): ImportFields {
  const { category, readerModel, chunkUnits, chunkOverlap, chunker, embedder } = wishes
  const reader =
    readerModel === '' ? wishes.reader : JSON.stringify({ name: wishes.reader || 'auto', model: readerModel })
  const single = Object.entries({ reader, chunker, embedder, chunk_units: chunkUnits, chunk_overlap: chunkOverlap })
  return [
    ['category', category.trim()],
    ...ownersOf(wishes).map((owner) => ['owners', owner] as const),
    ...single.filter(([, value]) => value !== ''),
  ]
}

function ownersOf({ audience, owners }: ImportWishes): readonly string[] {
  if (audience === 'self') return []
  if (audience !== 'others') return [audience]
  return owners
    .split(',')
    .map((owner) => owner.trim())
    .filter((owner) => owner !== '')
}
