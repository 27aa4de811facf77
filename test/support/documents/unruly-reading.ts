/** Work for test/support/documents/unruly-reading-process.ts. */
import { fileURLToPath } from 'node:url'
import type { Work } from '#documents/reading/protocol.ts'

/** For the `script` of a pool. */
export const unrulyScript = fileURLToPath(new URL('./unruly-reading-process.ts', import.meta.url))

/** An operation that does the harm of that name; any other name is simply answered, with the process id as `characters`. */
export const unrulyWork = (harm: string): Work<'read'> => ({
  file: '/nowhere',
  name: harm,
  reader: 'auto',
  limits: { textMax: 1, pagesMax: 1, unpackedBytesMax: 1 },
  chunker: { name: 'token', units: 1, overlap: 0, tokenizer: 'cl100k_base' },
  directory: '/nowhere',
})
