/**
 * Text of a model in which 【3】 stands where it cites the third passage. The marks are taken out as the text arrives, in
 * whatever pieces, and become annotations at their places.
 */
import type { FoundPassage } from './search-files.ts'

export interface FileCitation {
  readonly type: 'file_citation'
  readonly file_id: string
  readonly filename: string
  /** Where in the text it stands. */
  readonly index: number
}

export interface CitedPiece {
  readonly text: string
  readonly citations: readonly FileCitation[]
}

const open = '【'
const mark = /【(\d{1,4})(?:[^\d【】][^【】]{0,40})?】/g
/** What begins with the bracket and is longer is not a mark. */
const markMax = 48

export class CitedText {
  /** Without the marks. */
  text = ''
  readonly annotations: unknown[] = []
  #held = ''
  readonly #passages: readonly FoundPassage[]

  constructor(passages: readonly FoundPassage[]) {
    this.#passages = passages
  }

  /** The part of the text that is certain by now. */
  push(delta: string): CitedPiece {
    const all = this.#held + delta
    const from = all.lastIndexOf(open)
    const isOpen = from !== -1 && !all.includes('】', from) && all.length - from <= markMax
    this.#held = isOpen ? all.slice(from) : ''
    return this.#taken(isOpen ? all.slice(0, from) : all)
  }

  /** The rest. */
  end(): CitedPiece {
    const rest = this.#held
    this.#held = ''
    return this.#taken(rest)
  }

  #taken(all: string): CitedPiece {
    const citations: FileCitation[] = []
    let text = ''
    let from = 0
    for (const found of all.matchAll(mark)) {
      const passage = this.#passages[Number(found[1]) - 1]
      if (passage === undefined) continue
      text += all.slice(from, found.index)
      from = found.index + found[0].length
      const { fileId, filename } = passage
      const index = this.text.length + text.length
      citations.push({ type: 'file_citation', file_id: fileId, filename, index })
    }
    text += all.slice(from)
    this.text += text
    return { text, citations }
  }
}
