/** The chunks of a document in order. One of them can be highlighted. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Chunk, Document } from '../../api/schema.d.ts'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { MarkedText } from '../../components/marked-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { VirtualList } from '../../components/virtual-list.tsx'
import styles from './chunk-list.module.css'
import { isUnfinished } from '../documents/queries.ts'
import { chunksQuery, chunksPerPage } from './queries.ts'

export interface ChunkListProps {
  readonly document: Document
  /** Ordinal of the highlighted chunk. */
  readonly anchor: number | undefined
  /** The words to mark. */
  readonly words: readonly string[]
}

const estimatedHeight = 140

export function ChunkList({ document, anchor, words }: ChunkListProps) {
  const [range, setRange] = useState({ first: 0, last: 0 })
  const onRange = useCallback((first: number, last: number) => setRange({ first, last }), [])
  // The first page has the total.
  const { data, error, isPending, refetch } = useQuery(chunksQuery(document, 0))
  const from = Math.floor(range.first / chunksPerPage)
  const to = Math.floor(range.last / chunksPerPage)
  const pages = useQueries({
    queries: Array.from({ length: to - from + 1 }, (_, index) => chunksQuery(document, from + index)),
  })
  const failed = pages.find((page) => page.error !== null)
  const chunks = useMemo(
    () => new Map(pages.flatMap((page) => page.data?.data ?? []).map((chunk) => [chunk.ordinal, chunk])),
    [pages],
  )
  if (isPending) return <Skeleton lines={6} label="Loading chunks" />
  if (error !== null) return <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
  if (data.total === 0) {
    return (
      <p className={styles.none}>
        {isUnfinished(document)
          ? 'The text appears here when the document is completed.'
          : 'The document was not completed, so it has no text. Retry it, or import it again.'}
      </p>
    )
  }
  return (
    <>
      {failed !== undefined && <ErrorNotice error={asApiError(failed.error)} onRetry={() => void failed.refetch()} />}
      <VirtualList
        label="Chunks"
        count={data.total}
        estimateHeight={estimatedHeight}
        scrollTo={anchor}
        onRange={onRange}
        item={(ordinal) => {
          const chunk = chunks.get(ordinal)
          if (chunk === undefined) return <Skeleton lines={4} label={`Loading chunk ${ordinal}`} />
          return <ChunkText chunk={chunk} isAnchor={ordinal === anchor} words={words} />
        }}
      />
    </>
  )
}

interface ChunkTextProps {
  readonly chunk: Chunk
  readonly isAnchor: boolean
  readonly words: readonly string[]
}

function ChunkText({ chunk, isAnchor, words }: ChunkTextProps) {
  const { ordinal, text, table_header: tableHeader, start, end, tokens } = chunk
  return (
    <article
      aria-label={`Chunk ${ordinal}`}
      aria-current={isAnchor ? 'location' : undefined}
      className={`${styles.chunk} ${isAnchor ? styles.anchor : ''}`}
    >
      <header className={styles.head}>
        <span className={styles.ordinal}>#{ordinal}</span>
        <span className={styles.place}>{locationText(chunk)}</span>
        <span className={styles.numbers}>
          {tokens.toLocaleString('en')} tokens, characters {start.toLocaleString('en')}–{end.toLocaleString('en')}
        </span>
      </header>
      {tableHeader !== null && <p className={styles.tableHeader}>{tableHeader}</p>}
      <p className={styles.text}>
        <MarkedText text={text.trimEnd()} words={words} />
      </p>
    </article>
  )
}

/** The page and headings of a passage: "page 3 · Leave › Parental leave". */
export function locationText({ page, page_label: label, heading_path: headings }: Chunk): string {
  const where = label ?? (page === null ? '' : `page ${page}`)
  return [where, headings.join(' › ')].filter((part) => part !== '').join(' · ')
}
