/** The page of a document: processing, record, search and chunks. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Document } from '../../api/schema.d.ts'
import { Button, buttonClass } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { LatePart } from '../../components/late-part.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { searchWords } from '../../components/highlight.ts'
import { canRetry, DeleteDocuments, useDocumentChange } from '../documents/document-actions.tsx'
import { StateBadge } from '../documents/document-state.tsx'
import { documentQuery, isUnfinished } from '../documents/queries.ts'
import { usePolledDocuments } from '../documents/use-polled-documents.ts'
import { ChunkList } from './chunk-list.tsx'
import { DocumentFacts } from './document-facts.tsx'
import styles from './document-page.module.css'
import { PassageSearch } from './passage-search.tsx'
import { StageProgress, StageTimeline } from './stage-timeline.tsx'

const MetadataPanel = lazyPart(() => import('./metadata-panel.tsx'), 'MetadataPanel')

const route = getRouteApi('/shell/documents/$id')

export function DocumentPage() {
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(documentQuery(id))
  usePolledDocuments(data === undefined ? [] : [data])
  const refusal = error === null ? null : asApiError(error)
  return (
    <>
      <p className={styles.back}>
        <Link to="/documents">← Documents</Link>
      </p>
      {refusal?.code === 'not_found' && (
        <>
          <PageHeader title="Document not found" />
          <EmptyState
            icon="docs"
            title="This document does not exist"
            action={
              <Link to="/documents" className={buttonClass()}>
                All documents
              </Link>
            }
          >
            It may be deleted, or not shared with you.
          </EmptyState>
        </>
      )}
      {refusal !== null && refusal.code !== 'not_found' && (
        <>
          <PageHeader title="Document" />
          <ErrorNotice error={refusal} onRetry={() => void refetch()} />
        </>
      )}
      {data === undefined && refusal === null && <Skeleton lines={8} label="Loading the document" />}
      {data !== undefined && refusal === null && <DocumentDetails document={data} />}
    </>
  )
}

function DocumentDetails({ document }: { readonly document: Document }) {
  const { chunk, q } = route.useSearch()
  const navigate = route.useNavigate()
  const change = useDocumentChange()
  return (
    <>
      <PageHeader
        title={document.name}
        actions={<Actions document={document} busy={change.isPending} onChange={change.mutate} />}
      />
      {change.error !== null && <ErrorNotice error={asApiError(change.error)} />}
      <div className={styles.columns}>
        <div className={styles.side}>
          <div className={styles.first}>
            <Panel title="Processing" actions={<StateBadge state={document.state} />}>
              <div className={styles.stack}>
                <Failure document={document} />
                <StageProgress document={document} />
                <StageTimeline document={document} />
              </div>
            </Panel>
          </div>
          {document.warnings.length > 0 && (
            <div className={styles.first}>
              <Panel title="Warnings">
                <ul className={styles.warnings}>
                  {document.warnings.map((warning) => (
                    <li key={warning}>{warning}</li>
                  ))}
                </ul>
              </Panel>
            </div>
          )}
          <LatePart>
            <MetadataPanel document={document} />
          </LatePart>
          <Panel title="Record">
            <DocumentFacts document={document} />
          </Panel>
        </div>
        <section className={styles.text} aria-label="Text">
          {document.searchable && (
            <div className={styles.search}>
              <PassageSearch
                document={document}
                question={q}
                onAsk={(question) => void navigate({ search: { chunk, q: question }, replace: true })}
                onChoose={(ordinal) => void navigate({ search: { chunk: ordinal, q }, replace: true })}
              />
            </div>
          )}
          <ChunkList document={document} anchor={chunk} words={q === undefined ? [] : searchWords(q)} />
        </section>
      </div>
    </>
  )
}

interface ActionsProps {
  readonly document: Document
  readonly busy: boolean
  readonly onChange: (change: { readonly id: string; readonly change: 'retry' | 'cancel' }) => void
}

function Actions({ document, busy, onChange }: ActionsProps) {
  const navigate = route.useNavigate()
  const [asking, setAsking] = useState(false)
  const { doc_id: id } = document
  return (
    <>
      {isUnfinished(document) && (
        <Button busy={busy} onClick={() => onChange({ id, change: 'cancel' })}>
          <Icon name="stop" />
          Cancel
        </Button>
      )}
      {canRetry(document) && (
        <Button variant="primary" busy={busy} onClick={() => onChange({ id, change: 'retry' })}>
          <Icon name="retry" />
          Retry
        </Button>
      )}
      <Button className={styles.delete ?? ''} onClick={() => setAsking(true)}>
        <Icon name="trash" />
        Delete
      </Button>
      <DeleteDocuments
        documents={[document]}
        open={asking}
        onClose={() => setAsking(false)}
        onDeleted={() => void navigate({ to: '/documents' })}
      />
    </>
  )
}

/** The error of the processing, and what to do. */
function Failure({ document: { error } }: { readonly document: Document }) {
  if (error === null) return null
  return (
    <Notice tone="danger" role="alert">
      <p>{error.message}</p>
      <p className={styles.remedy}>
        {error.retryable
          ? 'The error may be temporary. “Retry” processes the file again.'
          : 'The file would fail again. Fix the cause, then retry or import it again.'}
      </p>
      <p className={styles.remedy}>
        <code>{error.code}</code> while {error.stage}
      </p>
    </Notice>
  )
}
