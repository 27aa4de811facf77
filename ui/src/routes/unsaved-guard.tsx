/** Asks before a page with unsaved changes is left, by a link, the browser's buttons or a reload. */
import { useBlocker } from '@tanstack/react-router'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'

/** @param changed what has unsaved changes; null when nothing has */
export function UnsavedGuard({ changed }: { readonly changed: string | null }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => changed !== null && current.pathname !== next.pathname,
    enableBeforeUnload: () => changed !== null,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <ConfirmDialog
      open
      onClose={reset}
      title="Leave without saving?"
      consequence="What you changed here is lost:"
      names={[changed ?? '']}
      confirm="Leave without saving"
      onConfirm={() => Promise.resolve(proceed())}
    />
  )
}
