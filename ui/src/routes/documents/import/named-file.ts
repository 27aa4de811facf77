/** A file to import, with the name that it gets. */
export interface NamedFile {
  /** The name, or the path in the folder that was chosen. */
  readonly name: string
  readonly file: File
}
