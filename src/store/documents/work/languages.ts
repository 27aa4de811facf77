/** The language of the texts that are being staged: guessed once for each attempt at a document, by its first chunks. */
import type { Connection } from '../../database.ts'
import type { NewChunk } from '../document-chunks.ts'
import type { Lease } from '../document-store.ts'
import { languageOf } from '../indexing/words.ts'

/** Attempts that are remembered. */
const rememberedMax = 1000

export class Languages {
  readonly #connection: Connection
  readonly #languageOf = new Map<string, string | null>()
  /** Languages that the database knows of. */
  readonly #noted = new Set<string>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The language of the document; null when it cannot be told. Searches reduce words in its way from now on. */
  async of({ id, fence }: Lease, chunks: readonly NewChunk[]): Promise<string | null> {
    const key = `${id} ${fence}`
    const known = this.#languageOf.get(key)
    if (known !== undefined) return known
    const language = languageOf(chunks.map(({ text }) => text).join('\n'))
    if (language !== null && !this.#noted.has(language)) {
      await this.#connection.kysely
        .insertInto('document_languages')
        .values({ language })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      this.#noted.add(language)
    }
    if (this.#languageOf.size >= rememberedMax) this.#languageOf.clear()
    this.#languageOf.set(key, language)
    return language
  }
}
