/**
 * What a reader on another server has made of a file, as a Reading. Here: which kinds there are. The answers are not trusted:
 * they are read in a reading process, within the limits of every file.
 */
import type { Reading, ReadLimits } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import type { AppendAnswer } from './answer-parts.ts'

export type ExternalReaderKind = 'docling' | 'tika' | 'unstructured'

export interface ExternalAnswer {
  readonly kind: ExternalReaderKind
  /** The type of the file that was read. */
  readonly mediaType: string
}

const kinds: Readonly<Record<ExternalReaderKind, () => Promise<AppendAnswer>>> = {
  docling: async () => (await import('./docling.ts')).appendDocling,
  tika: async () => (await import('./tika.ts')).appendTika,
  unstructured: async () => (await import('./unstructured.ts')).appendUnstructured,
}

/** Rejects with ReadFailure: `damaged` for what is not an answer of this kind, `no_text` for one without text. */
export async function readAnswer(
  answer: Uint8Array,
  { kind, mediaType }: ExternalAnswer,
  limits: ReadLimits,
): Promise<Reading> {
  const append = await kinds[kind]()
  const builder = new TextBuilder(limits)
  const { title } = append(builder, answer)
  return builder.reading({ mediaType, title })
}
