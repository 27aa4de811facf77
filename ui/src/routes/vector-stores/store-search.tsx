/** A search of a vector store to try out: the passages that a program or a model would get. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { VectorStore } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { countText } from '../../components/format.ts'
import { excerpt, searchWords } from '../../components/highlight.ts'
import { Icon } from '../../components/icon.tsx'
import { Input } from '../../components/input.tsx'
import { MarkedText } from '../../components/marked-text.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { storeSearchQuery } from './queries.ts'
import styles from './store-search.module.css'

export interface StoreSearchProps {
  readonly store: VectorStore
  readonly question: string | undefined
  readonly onAsk: (question: string | undefined) => void
}

export function StoreSearch({ store, question, onAsk }: StoreSearchProps) {
  const [typed, setTyped] = useState(question ?? '')
  return (
    <Panel title="Try a search">
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
            aria-label="Search in this vector store"
            placeholder="A question…"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit">
            <Icon name="search" />
            Search
          </Button>
        </form>
      </search>
      {question !== undefined && <Passages store={store} question={question} />}
    </Panel>
  )
}

function Passages({ store, question }: { readonly store: VectorStore; readonly question: string }) {
  const { data, error, isPending, refetch } = useQuery(storeSearchQuery(store.id, question))
  if (isPending) return <Skeleton lines={3} label="Searching" />
  if (error !== null) return <ErrorNotice error={asApiError(error)} onRetry={() => void refetch()} />
  const words = searchWords(question)
  return (
    <section aria-label="Passages" className={styles.passages}>
      <p role="status" className={styles.count}>
        {data.data.length === 0
          ? `No passage matches “${question}”.`
          : `${countText(data.data.length, 'passage')}, best first.`}
      </p>
      <ol className={styles.list}>
        {data.data.map(({ file_id: id, filename, score, content }, index) => (
          // A file may have several passages, which have no id of their own.
          <li key={`${id} ${index}`} className={styles.passage}>
            <span className={styles.place}>
              <strong>{filename}</strong> {score.toFixed(2)}
            </span>
            <span>
              <MarkedText text={excerpt(content.map(({ text }) => text).join('\n'), words)} words={words} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
