/** A hit of the search: its document, scores, text, and the text around it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import type { SearchHit } from '../../../api/schema.d.ts'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { LatePart } from '../../../components/late-part.tsx'
import { lazyPart } from '../../../components/lazy-part.tsx'
import { MarkedText } from '../../../components/marked-text.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import styles from './hit-view.module.css'

const SourcePanel = lazyPart(() => import('../source/source-panel.tsx'), 'SourcePanel')

export interface HitViewProps {
  readonly hit: SearchHit
  /** The words to mark. */
  readonly words: readonly string[]
}

export function HitView({ hit, words }: HitViewProps) {
  const { doc_id: id, name, category, page, page_label: label, heading_path: headings, text } = hit
  const [reach, setReach] = useState(0)
  const [opened, setOpened] = useState(false)
  const around = useAround(hit, reach)
  return (
    <li className={styles.hit}>
      <header className={styles.header}>
        <Link className={styles.name} to="/documents/$id" params={{ id }}>
          {name}
        </Link>
        {page !== null && <Badge>page {page}</Badge>}
        {label !== null && <Badge>{label}</Badge>}
        <Badge>{category}</Badge>
        <span className={styles.score}>{hit.score.toFixed(3)}</span>
      </header>
      {headings.length > 0 && <p className={styles.headings}>{headings.join(' › ')}</p>}
      <div className={styles.text}>
        {around.before.map((chunk) => (
          <Passage key={chunk.id} text={chunk.text} words={words} around />
        ))}
        <Passage text={text} words={words} />
        {around.after.map((chunk) => (
          <Passage key={chunk.id} text={chunk.text} words={words} around />
        ))}
      </div>
      {around.error !== null && <ErrorNotice error={asApiError(around.error)} />}
      <footer className={styles.footer}>
        <Scores hit={hit} />
        <Button variant="quiet" onClick={() => setOpened(true)}>
          {page === null ? 'Show in the text' : 'Show on its page'}
          <span className="visually-hidden">
            {' '}
            (passage {hit.ordinal + 1} of {name})
          </span>
        </Button>
        {!around.isWhole && (
          <Button variant="quiet" busy={around.isLoading} onClick={() => setReach(reach + neighbours)}>
            Show more context
            <span className="visually-hidden">
              {' '}
              (passage {hit.ordinal + 1} of {name})
            </span>
          </Button>
        )}
      </footer>
      {opened && (
        <LatePart onClose={() => setOpened(false)}>
          <SourcePanel
            title={`${name}${page === null ? '' : `, page ${page}`}`}
            passage={hit}
            onClose={() => setOpened(false)}
          />
        </LatePart>
      )}
    </li>
  )
}

/** The number of chunks that each press adds on either side. */
const neighbours = 2

/** The chunks around a hit, up to `reach` on either side. */
function useAround({ doc_id: id, ordinal }: SearchHit, reach: number) {
  const from = Math.max(0, ordinal - reach)
  const found = useQuery({
    queryKey: ['documents', id, 'around', ordinal, reach],
    queryFn: ({ signal }) => {
      const query = { from, limit: ordinal + reach - from + 1 }
      return api('GET /api/v1/document/{doc_id}/chunks', { params: { doc_id: id }, query, signal })
    },
    enabled: reach > 0,
    placeholderData: (before) => before,
    staleTime: Infinity,
  })
  const answer = found.data
  const chunks = answer?.data ?? []
  return {
    before: chunks.filter((chunk) => chunk.ordinal < ordinal),
    after: chunks.filter((chunk) => chunk.ordinal > ordinal),
    isWhole: answer !== undefined && chunks.length >= answer.total,
    isLoading: found.isFetching,
    error: found.error,
  }
}

function Scores({ hit: { scores } }: { readonly hit: SearchHit }) {
  const { vector, keyword, rerank } = scores
  const parts = [
    vector === null ? 'no match by meaning' : `meaning ${vector.score.toFixed(3)} (rank ${vector.rank})`,
    keyword === null ? 'no match by words' : `words ${keyword.score.toFixed(2)} (rank ${keyword.rank})`,
    ...(rerank === null ? [] : [`reranked ${rerank.score.toFixed(3)} (rank ${rerank.rank})`]),
  ]
  return <p className={styles.scores}>{parts.join(' · ')}</p>
}

interface PassageProps {
  readonly text: string
  readonly words: readonly string[]
  /** The text is near the hit, not the hit itself. */
  readonly around?: boolean
}

function Passage({ text, words, around = false }: PassageProps) {
  return (
    <p className={around ? styles.around : undefined}>
      <MarkedText text={text.trim()} words={words} />
    </p>
  )
}
