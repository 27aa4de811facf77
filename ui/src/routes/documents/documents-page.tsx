/** The page of documents: import, follow the processing, retry, delete. */
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { useItems } from '../../api/use-items.ts'
import type { Document } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { countText } from '../../components/format.ts'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { DocumentsSearch } from '../search.ts'
import { DeleteDocuments, useDocumentChange } from './document-actions.tsx'
import { DocumentFilters, isFiltered, stateChoices } from './document-filters.tsx'
import { DocumentTable, type DocumentTableProps } from './document-table.tsx'
import styles from './documents-page.module.css'
import type { NamedFile } from './import/named-file.ts'
import { ImportDialog } from './import/import-dialog.tsx'
import { defaultImportOptions } from './import/import-options.ts'
import { NoDocuments } from './no-documents.tsx'
import { metadataFilterOf } from './metadata-queries.ts'
import { documentsQuery } from './queries.ts'
import { UploadPanel } from './upload/upload-panel.tsx'
import { useFileDrop } from './import/use-file-drop.ts'
import { usePolledDocuments } from './use-polled-documents.ts'
import { useUploads } from './upload/use-uploads.ts'

const route = getRouteApi('/shell/documents')

export function DocumentsPage() {
  const { queue, uploads } = useUploads()
  const [files, setFiles] = useState<readonly NamedFile[] | null>(null)
  const [importOptions, setImportOptions] = useState(defaultImportOptions)
  const isDragging = useFileDrop(setFiles)
  return (
    <>
      <PageHeader
        title="Documents"
        description="Files that searches and chats can use."
        actions={
          <Button variant="primary" onClick={() => setFiles([])}>
            <Icon name="upload" />
            Import
          </Button>
        }
      />
      <UploadPanel queue={queue} uploads={uploads} />
      <DocumentList onFiles={setFiles} />
      {files !== null && (
        <ImportDialog
          files={files}
          onFiles={setFiles}
          importOptions={importOptions}
          onOptions={setImportOptions}
          onClose={() => setFiles(null)}
          onImport={(fields) => {
            queue.add(files, fields)
            setFiles(null)
          }}
        />
      )}
      {isDragging && (
        <div className={styles.overlay} aria-hidden="true">
          <p className={styles.invitation}>
            <Icon name="upload" size={24} />
            Drop files or a folder to import them
          </p>
        </div>
      )}
    </>
  )
}

function DocumentList({ onFiles }: { readonly onFiles: (files: readonly NamedFile[]) => void }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const changeSearch = useCallback(
    (next: DocumentsSearch): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const { q: name, category, state, meta } = search
  const states = state && stateChoices[state].states
  const {
    list,
    items: documents,
    fetchMore,
  } = useItems(documentsQuery({ name, category, state: states, filter: metadataFilterOf(meta) }))
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const isEmpty = list.data !== undefined && !list.isPlaceholderData && documents.length === 0
  if (isEmpty && !isFiltered(search)) return <NoDocuments onFiles={onFiles} />
  return (
    <>
      <DocumentFilters
        search={search}
        onChange={changeSearch}
        actions={
          <DeleteSelected
            documents={documents.filter(({ doc_id: id }) => selected.has(id))}
            onDeleted={() => setSelected(new Set())}
          />
        }
      />
      {list.error !== null && <ErrorNotice error={asApiError(list.error)} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={6} label="Loading documents" />}
      {isEmpty && (
        <EmptyState icon="search" title="No document matches">
          The search looks for a part of the name. Enter the complete name of a category.
        </EmptyState>
      )}
      {documents.length > 0 && (
        <DocumentRows
          documents={documents}
          selection={{ selected, onChange: setSelected }}
          hasMore={list.hasNextPage}
          onEndNear={fetchMore}
        />
      )}
    </>
  )
}

/** The table. The states of its visible rows are refreshed. */
function DocumentRows(props: Omit<DocumentTableProps, 'onRange' | 'onOpen' | 'onChange'>) {
  const navigate = route.useNavigate()
  const [visible, setVisible] = useState({ first: 0, last: 0 })
  const { mutate, error } = useDocumentChange()
  usePolledDocuments(props.documents.slice(visible.first, visible.last + 1))
  const onRange = useCallback((first: number, last: number) => setVisible({ first, last }), [])
  const onChange = useCallback((id: string, change: 'retry' | 'cancel') => mutate({ id, change }), [mutate])
  return (
    <>
      {error !== null && <ErrorNotice error={asApiError(error)} />}
      <DocumentTable
        {...props}
        onRange={onRange}
        onOpen={({ doc_id: id }) => void navigate({ to: '/documents/$id', params: { id } })}
        onChange={onChange}
      />
    </>
  )
}

function DeleteSelected({
  documents,
  onDeleted,
}: {
  readonly documents: readonly Document[]
  readonly onDeleted: () => void
}) {
  const [asking, setAsking] = useState(false)
  if (documents.length === 0) return null
  return (
    <>
      <Button className={styles.delete ?? ''} onClick={() => setAsking(true)}>
        <Icon name="trash" />
        Delete {countText(documents.length, 'document')}
      </Button>
      <DeleteDocuments documents={documents} open={asking} onClose={() => setAsking(false)} onDeleted={onDeleted} />
    </>
  )
}
