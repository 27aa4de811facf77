/** Where the file of a document comes from, and how that changes. */

/** The file that a document is of, where it comes from. The importer's next import of it makes a new version of the document. */
export interface DocumentSource {
  /** The folder, bucket or site that it comes from, as its importer calls it; may be empty. */
  readonly name: string
  /** The file within it: a path, a key, an address. */
  readonly id: string
  /** Tells without its bytes whether the file has changed; null when that is not known. */
  readonly version: string | null
}

/** What a document is called from now on; what is left out stays. */
export interface Renaming {
  readonly name?: string | undefined
  readonly sourceId?: string | undefined
  readonly sourceVersion?: string | undefined
}
