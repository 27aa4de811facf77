/** What can be done with a document: try again, stop, delete. The server says who may. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Document } from '../../api/schema.d.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { countText } from '../../components/format.ts'
import { toast } from '../../components/toast.tsx'
import { dropDocuments, putDocuments } from './queries.ts'

/** A document that ended without a result can be processed again. */
export function canRetry({ state }: Document): boolean {
  return state === 'failed' || state === 'cancelled'
}

/** Sends "try again" or "stop" for a document; the answer is its record from then on. */
export function useDocumentChange() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, change }: { readonly id: string; readonly change: 'retry' | 'cancel' }) =>
      change === 'retry'
        ? api('POST /api/v1/document/{doc_id}/retry', { params: { doc_id: id } })
        : api('POST /api/v1/document/{doc_id}/cancel', { params: { doc_id: id } }),
    onSuccess: (document) => putDocuments(queryClient, [document]),
  })
}

export interface DeleteDocumentsProps {
  readonly documents: readonly Document[]
  readonly open: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

const deletedTogether = 4

/** Asks, names what goes, and deletes it; what could not be deleted stays in the list. */
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
          // Somebody else was faster: it is gone, which is what was asked for.
          if (asApiError(thrown).code === 'not_found') gone.add(next.doc_id)
          else failures.push(thrown)
        }
      }
    }
    await Promise.all(Array.from({ length: deletedTogether }, deleteNext))
    dropDocuments(queryClient, gone)
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
      consequence="Their text, chunks and vectors are removed, and no search finds them any more. The files that they were imported from stay where they are."
      names={documents.map(({ name }) => name)}
      confirm={`Delete ${what}`}
      onConfirm={deleteAll}
    />
  )
}
