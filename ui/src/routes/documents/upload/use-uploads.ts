/** The uploads of the signed-in user, wherever in the console that user is. */
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { resource, sessionQuery } from '../../../api/queries.ts'
import { useSession } from '../../../shell/use-session.ts'
import { documentOptionsQuery } from '../queries.ts'
import { sendFile } from './send-file.ts'
import { isOpen, UploadQueue, type Upload } from './upload-queue.ts'

let current: { readonly userId: string; readonly queue: UploadQueue } | null = null

export function useUploads(): { readonly queue: UploadQueue; readonly uploads: readonly Upload[] } {
  const { user } = useSession()
  const queue = queueOf(user.id, useQueryClient())
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads)
  const isBusy = uploads.some(isOpen)
  useEffect(() => {
    if (!isBusy) return
    // The browser asks in its own words whether to leave.
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isBusy])
  return { queue, uploads }
}

/** Nothing of one user is shown to the next. */
function queueOf(userId: string, queryClient: QueryClient): UploadQueue {
  if (current?.userId === userId) return current.queue
  current?.queue.cancelAll()
  const queue = new UploadQueue({
    send(source, options) {
      // Whoever signs in next must not be taken for the importer of what is left.
      const isStillThere = queryClient.getQueryData(sessionQuery.queryKey)?.user.id === userId
      return isStillThere ? sendFile(source, options) : Promise.reject(new Error('Not sent: you have signed out.'))
    },
    onAccepted: () => refreshSoon(queryClient),
    fileBytesMax: () => queryClient.getQueryData(documentOptionsQuery.queryKey)?.max_file_bytes ?? Infinity,
  })
  current = { userId, queue }
  return queue
}

const refreshEveryMs = 500
let refreshing: ReturnType<typeof setTimeout> | null = null

/** Many small files end in the same moment; the list is read once for all of them. */
function refreshSoon(queryClient: QueryClient): void {
  refreshing ??= setTimeout(() => {
    refreshing = null
    void queryClient.invalidateQueries({ queryKey: [...resource.documents, 'list'] })
  }, refreshEveryMs)
}
