/** A file to import, with its name. */
export interface NamedFile {
  /** The file name, or the path within the chosen folder. */
  readonly name: string
  readonly file: File
}
