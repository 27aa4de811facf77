/** The actions on documents: retry, cancel, delete. The server checks the permission. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Document } from '../../api/schema.d.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { countText } from '../../components/format.ts'
import { toast } from '../../components/toast.tsx'
import { removeDocuments, updateDocuments } from './queries.ts'

/** True for a failed or cancelled document. */
export function canRetry({ state }: Document): boolean {
  return state === 'failed' || state === 'cancelled'
}

/** Retries or cancels a document, and updates its record. */
export function useDocumentChange() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, change }: { readonly id: string; readonly change: 'retry' | 'cancel' }) =>
      change === 'retry'
        ? api('POST /api/v1/document/{doc_id}/retry', { params: { doc_id: id } })
        : api('POST /api/v1/document/{doc_id}/cancel', { params: { doc_id: id } }),
    onSuccess: (document) => updateDocuments(queryClient, [document]),
  })
}

export interface DeleteDocumentsProps {
  readonly documents: readonly Document[]
  readonly open: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

const deletesAtOnceMax = 4

/** Deletes documents after asking. Documents that could not be deleted stay in the list. */
export function DeleteDocuments({ documents, open, onClose, onDeleted }: DeleteDocumentsProps) {
  const queryClient = useQueryClient()
  const what = countText(documents.length, 'document')
  async function deleteAll(): Promise<void> {
    const gone = new Set<string>()
    const failures: unknown[] = []
    const left = [...documents]
    const deleteNext = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        try {
          await api('DELETE /api/v1/document/{doc_id}', { params: { doc_id: next.doc_id } })
          gone.add(next.doc_id)
        } catch (thrown) {
          // Already deleted by another user.
          if (asApiError(thrown).code === 'not_found') gone.add(next.doc_id)
          else failures.push(thrown)
        }
      }
    }
    await Promise.all(Array.from({ length: deletesAtOnceMax }, deleteNext))
    removeDocuments(queryClient, gone)
    for (const id of gone) queryClient.removeQueries({ queryKey: [...resource.documents, 'one', id] })
    if (failures.length > 0) throw asApiError(failures[0])
    toast(`Deleted ${what}`)
    onDeleted()
  }
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Delete ${what}?`}
      consequence="Their text, chunks and vectors are deleted, and searches no longer find them. The original files are not touched. This cannot be undone."
      names={documents.map(({ name }) => name)}
      confirm={`Delete ${what}`}
      onConfirm={deleteAll}
    />
  )
}
