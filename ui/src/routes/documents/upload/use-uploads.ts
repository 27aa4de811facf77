/** The uploads of the signed-in user, on all pages. */
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
    // The browser asks whether to leave, with its own text.
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isBusy])
  return { queue, uploads }
}

/** The next user must not see uploads of this one. */
function queueOf(userId: string, queryClient: QueryClient): UploadQueue {
  if (current?.userId === userId) return current.queue
  current?.queue.cancelAll()
  const queue = new UploadQueue({
    send(source, options) {
      // The remaining files must not be imported by the next user.
      const isStillThere = queryClient.getQueryData(sessionQuery.queryKey)?.user.id === userId
      return isStillThere
        ? sendFile(source, options)
        : Promise.reject(new Error('The file was not sent because you signed out.'))
    },
    onAccepted: () => refreshSoon(queryClient),
    fileBytesMax: () => queryClient.getQueryData(documentOptionsQuery.queryKey)?.max_file_bytes ?? Infinity,
  })
  current = { userId, queue }
  return queue
}

const refreshEveryMs = 500
let refreshing: ReturnType<typeof setTimeout> | null = null

/** Many small files finish together; the list is refreshed once for all of them. */
function refreshSoon(queryClient: QueryClient): void {
  refreshing ??= setTimeout(() => {
    refreshing = null
    void queryClient.invalidateQueries({ queryKey: [...resource.documents, 'list'] })
  }, refreshEveryMs)
}
