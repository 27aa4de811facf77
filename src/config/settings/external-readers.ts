/**
 * Readers of documents on other servers, as the setting `documents.readers` has them: a list of mappings in the file, or the
 * same as JSON. They have credentials in them, so the setting as a whole is a secret.
 */
import { z } from '#lib/schema.ts'

/** What imports name already; a test keeps this list that of the readers. */
export const builtInReaderNames: readonly string[] =
  'auto vision transcription text markdown html csv json source notebook structured-xml subtitles pdf docx pptx xlsx odt ods odp epub rtf picture eml msg doc xls ppt iwork archive'.split(
    ' ',
  )

const text = z.string().trim().min(1).max(1000)
const mediaType = /^[a-z]+\/(?:\*|[a-z0-9][a-z0-9.+-]{0,100})$/
const typeName = z.string().refine((name) => mediaType.test(name) || isFormat(name))

const readerSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/)
    .refine((name) => !builtInReaderNames.includes(name)),
  kind: z.enum(['docling', 'tika', 'unstructured']),
  url: text,
  /** Formats by the names of the built-in readers, or media types. */
  types: z.array(typeName).max(100).default([]),
  credential: text.nullable().default(null),
  /** Longest time for one file. */
  seconds: z.number().min(0.1).max(86_400).default(300),
  /** Sent with each file: fields of the form, and for tika headers. */
  fields: z.record(z.string().regex(/^[\w-]{1,100}$/), z.string().regex(/^[\x20-\x7e]{0,1000}$/)).default({}),
})

const listSchema = z.array(readerSchema).min(1).max(20)

export type ExternalReaderEntry = z.output<typeof readerSchema>

/** The list as JSON with its defaults; null when it is not of this form, or a name is in it twice. */
export function readExternalReaders(written: string, readUrl: (url: string) => string | null): string | null {
  const list = readersIn(written)?.map((entry) => ({ ...entry, url: readUrl(entry.url) })) ?? null
  if (list === null || list.some(({ url }) => url === null)) return null
  return new Set(list.map(({ name }) => name)).size === list.length ? JSON.stringify(list) : null
}

/** The readers of a value that was read; none for a text of another form. */
export function externalReaders(value: string): readonly ExternalReaderEntry[] {
  return readersIn(value) ?? []
}

function isFormat(name: string): boolean {
  return builtInReaderNames.includes(name) && !['auto', 'vision', 'transcription'].includes(name)
}

function readersIn(written: string): readonly ExternalReaderEntry[] | null {
  try {
    return listSchema.safeParse(JSON.parse(written)).data ?? null
  } catch {
    return null
  }
}
