/** The page of a vector store: its files, a search to try out, when it expires. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { VectorStore } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { CopiedFact, Fact, Facts } from '../../components/facts.tsx'
import { byteText, countText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { rfc3339 } from '../batches/batch-figures.ts'
import { vectorStoreQuery } from './queries.ts'
import { StoreDialog } from './store-dialog.tsx'
import { StoreFiles } from './store-files.tsx'
import { StoreSearch } from './store-search.tsx'
import { filesText, StatusBadge, storeName } from './store-words.tsx'
import styles from './vector-store-page.module.css'

const route = getRouteApi('/shell/vector-stores/$id')

export function VectorStorePage() {
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(vectorStoreQuery(id))
  const refusal = error === null ? null : asApiError(error)
  const isGone = refusal?.status === 404
  return (
    <>
      <p className={styles.back}>
        <Link to="/vector-stores">← Vector stores</Link>
      </p>
      {isGone && (
        <>
          <PageHeader title="Vector store not found" />
          <EmptyState icon="library" title="This vector store does not exist">
            It may be deleted, or of another account.
          </EmptyState>
        </>
      )}
      {refusal !== null && !isGone && <ErrorNotice error={refusal} onRetry={() => void refetch()} />}
      {data === undefined && refusal === null && <Skeleton lines={8} label="Loading the vector store" />}
      {data !== undefined && !isGone && <Found store={data} />}
    </>
  )
}

function Found({ store }: { readonly store: VectorStore }) {
  const navigate = route.useNavigate()
  const { q } = route.useSearch()
  const [opened, setOpened] = useState<'edit' | 'delete' | null>(null)
  const close = (): void => setOpened(null)
  return (
    <>
      <PageHeader
        title={storeName(store)}
        {...(store.description !== null && { description: store.description })}
        actions={
          <>
            <Button onClick={() => setOpened('edit')}>
              <Icon name="edit" />
              Edit
            </Button>
            <Button className={styles.delete ?? ''} onClick={() => setOpened('delete')}>
              <Icon name="trash" />
              Delete
            </Button>
          </>
        }
      />
      <div className={styles.columns}>
        <div className={styles.main}>
          <StoreFiles store={store} />
          <StoreSearch
            store={store}
            question={q}
            onAsk={(question) => void navigate({ search: { q: question }, replace: true })}
          />
        </div>
        <Panel title="Record" actions={<StatusBadge status={store.status} />}>
          <StoreFacts store={store} />
        </Panel>
      </div>
      {opened === 'edit' && <StoreDialog store={store} onClose={close} onSaved={close} />}
      {opened === 'delete' && (
        <DeleteStore store={store} onClose={close} onDeleted={() => void navigate({ to: '/vector-stores' })} />
      )}
    </>
  )
}

function StoreFacts({ store }: { readonly store: VectorStore }) {
  const { id, expires_after: expires, expires_at: at } = store
  return (
    <Facts>
      <Fact name="Files">{filesText(store)}</Fact>
      <Fact name="Size">{byteText(store.usage_bytes)}</Fact>
      <Fact name="Last used">
        <RelativeTime at={rfc3339(store.last_active_at)} />
      </Fact>
      <Fact name="Expires">
        {expires === null || at === null ? (
          'never'
        ) : (
          <>
            <RelativeTime at={rfc3339(at)} />, after {countText(expires.days, 'day')} without use
          </>
        )}
      </Fact>
      <Fact name="Created">
        <RelativeTime at={rfc3339(store.created_at)} />
      </Fact>
      {Object.entries(store.metadata).map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
      <Fact name="Id">
        <CopiedFact text={id} what="id" />
      </Fact>
    </Facts>
  )
}

interface DeleteStoreProps {
  readonly store: VectorStore
  readonly onClose: () => void
  readonly onDeleted: () => void
}

function DeleteStore({ store, onClose, onDeleted }: DeleteStoreProps) {
  const queryClient = useQueryClient()
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title="Delete this vector store?"
      consequence="Searches and models no longer find its passages. The files themselves stay. This cannot be undone."
      names={[storeName(store)]}
      confirm="Delete vector store"
      onConfirm={async () => {
        await api('DELETE /ai/v1/vector_stores/{id}', { params: { id: store.id } })
        onDeleted()
        await queryClient.invalidateQueries({ queryKey: [...resource.vectorStores, 'list'] })
        toast('Deleted the vector store')
      }}
    />
  )
}
