/** The sessions of a user in browsers: which there are, and ending them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { Session, User } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { countText } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { sessionsQuery } from '../users/queries.ts'
import { browserText } from './browser-text.ts'
import styles from './user-page.module.css'

export function UserSessions({ user }: { readonly user: User }) {
  const queryClient = useQueryClient()
  const sessions = useQuery(sessionsQuery(user.id))
  const [endingAll, setEndingAll] = useState(false)
  const refresh = () => queryClient.invalidateQueries({ queryKey: sessionsQuery(user.id).queryKey })
  const ending = useMutation({
    mutationFn: ({ id: sessionId }: Session) =>
      api('DELETE /admin/api/v1/users/{id}/sessions/{sessionId}', { params: { id: user.id, sessionId } }),
    async onSuccess() {
      await refresh()
      toast('Ended the session')
    },
  })
  const { data } = sessions
  return (
    <Panel
      title="Sessions"
      actions={
        data !== undefined &&
        data.length > 0 && <Button onClick={() => setEndingAll(true)}>End {countText(data.length, 'session')}</Button>
      }
    >
      {sessions.error !== null && (
        <ErrorNotice error={asApiError(sessions.error)} onRetry={() => void sessions.refetch()} />
      )}
      {ending.error !== null && <ErrorNotice error={asApiError(ending.error)} />}
      {sessions.isPending && <Skeleton lines={3} label="Loading sessions" />}
      {data?.length === 0 && <p className={styles.none}>{user.email} is signed in nowhere.</p>}
      <ul className={styles.list} aria-label="Sessions">
        {data?.map((session) => (
          <li key={session.id} className={styles.item}>
            <span className={styles.main}>
              <span title={session.agent ?? ''}>{browserText(session.agent)}</span>
              <span className={styles.detail}>
                {session.address !== null && `from ${session.address}, `}
                signed in <RelativeTime at={session.created_at} />, last seen{' '}
                <RelativeTime at={session.seen_at ?? session.created_at} />, ends{' '}
                <RelativeTime at={session.expires_at} />
              </span>
            </span>
            {session.current && <Badge tone="accent">this browser</Badge>}
            <Button
              variant="quiet"
              busy={ending.isPending && ending.variables === session}
              aria-label={`End the session of ${browserText(session.agent)}`}
              onClick={() => ending.mutate(session)}
            >
              End
            </Button>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={endingAll}
        onClose={() => setEndingAll(false)}
        title={`Sign ${user.email} out everywhere?`}
        consequence="All browsers have to sign in again. API keys continue to work."
        names={(data ?? []).map(({ agent }) => browserText(agent))}
        confirm="End all sessions"
        onConfirm={async () => {
          await api('DELETE /admin/api/v1/users/{id}/sessions', { params: { id: user.id } })
          await refresh()
          toast(`${user.email} is signed out everywhere`)
        }}
      />
    </Panel>
  )
}
