/** The search within a document, by meaning and by words. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Document, SearchHit } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { countText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { Input } from '../../components/input.tsx'
import { MarkedText } from '../../components/marked-text.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { excerpt, searchWords } from '../../components/highlight.ts'
import { locationText } from './chunk-list.tsx'
import styles from './passage-search.module.css'
import { passagesQuery } from './queries.ts'

export interface PassageSearchProps {
  readonly document: Document
  /** The last query. */
  readonly question: string | undefined
  readonly onAsk: (question: string | undefined) => void
  /** Highlights a chunk. */
  readonly onChoose: (ordinal: number) => void
}

export function PassageSearch({ document, question, onAsk, onChoose }: PassageSearchProps) {
  const [typed, setTyped] = useState(question ?? '')
  return (
    <>
      <search>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault()
            onAsk(typed.trim() || undefined)
          }}
        >
          <Input
            type="search"
            aria-label="Search in this document"
            placeholder="A question or words…"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit">
            <Icon name="search" />
            Search
          </Button>
          {question !== undefined && (
            <Button
              variant="quiet"
              onClick={() => {
                setTyped('')
                onAsk(undefined)
              }}
            >
              Clear
            </Button>
          )}
        </form>
      </search>
      {question !== undefined && <Passages document={document} question={question} onChoose={onChoose} />}
    </>
  )
}

interface PassagesProps extends Pick<PassageSearchProps, 'document' | 'onChoose'> {
  readonly question: string
}

function Passages({ document, question, onChoose }: PassagesProps) {
  const { data, error, isPending, refetch } = useQuery(passagesQuery(document, question))
  if (isPending) return <Skeleton lines={3} label="Searching" />
  if (error !== null) return <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
  return (
    <section aria-label="Passages" className={styles.passages}>
      {data.warnings.map((warning) => (
        <Notice key={warning} tone="warning">
          {warning}
        </Notice>
      ))}
      <p role="status" className={styles.count}>
        {data.data.length === 0
          ? `No passage matches “${question}”.`
          : `${countText(data.data.length, 'passage')}, best first.`}
      </p>
      <ol className={styles.list}>
        {data.data.map((hit) => (
          <Passage key={hit.id} hit={hit} words={searchWords(question)} onChoose={onChoose} />
        ))}
      </ol>
    </section>
  )
}

interface PassageProps {
  readonly hit: SearchHit
  readonly words: readonly string[]
  readonly onChoose: (ordinal: number) => void
}

function Passage({ hit, words, onChoose }: PassageProps) {
  return (
    <li>
      <button type="button" className={styles.passage} onClick={() => onChoose(hit.ordinal)}>
        <span className={styles.place}>
          <strong>#{hit.ordinal}</strong> {locationText(hit)}
        </span>
        <span>
          <MarkedText text={excerpt(hit.text, words)} words={words} />
        </span>
      </button>
    </li>
  )
}
