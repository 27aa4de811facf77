/** The members of a group, to add and remove. The members of "everyone" are only listed. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import type { Group, User } from '../../api/schema.d.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { VirtualList } from '../../components/virtual-list.tsx'
import { refreshUsers } from '../users/queries.ts'
import { UserPicker } from '../users/user-picker.tsx'
import styles from './group-members.module.css'
import { isOrdinary, membersQuery } from './queries.ts'

const rowHeight = 45

export function GroupMembers({ group }: { readonly group: Group }) {
  const members = useInfiniteQuery(membersQuery(group.id))
  const users = members.data?.pages.flatMap((page) => page.data) ?? []
  const change = useMembership(group)
  const [removing, setRemoving] = useState<User | null>(null)
  const ordinary = isOrdinary(group)
  const onRange = (_: number, last: number): void => {
    if (last >= users.length - 5 && members.hasNextPage && !members.isFetchingNextPage) void members.fetchNextPage()
  }
  return (
    <div className={styles.block}>
      {ordinary && <AddMember busy={change.isPending} onAdd={(user) => change.mutateAsync({ user, member: true })} />}
      {change.error !== null && <ErrorNotice error={asApiError(change.error)} />}
      {members.error !== null && (
        <ErrorNotice error={asApiError(members.error)} onRetry={() => void members.refetch()} />
      )}
      {members.isPending && <Skeleton lines={3} label="Loading members" />}
      {members.data !== undefined && (
        <div className={styles.box}>
          {users.length === 0 ? (
            <p className={styles.none}>This group has no members yet. Choose a user above and add them.</p>
          ) : (
            <VirtualList
              label={`Members of ${group.name}`}
              size="small"
              count={users.length}
              estimateHeight={rowHeight}
              onRange={onRange}
              item={(index) => {
                const user = users[index]
                if (user === undefined) return null
                return (
                  <Member
                    user={user}
                    {...(ordinary && { onRemove: () => setRemoving(user) })}
                    busy={change.isPending}
                  />
                )
              }}
            />
          )}
        </div>
      )}
      {removing !== null && (
        <ConfirmDialog
          open
          onClose={() => setRemoving(null)}
          title={`Remove ${removing.email} from ${group.name}?`}
          consequence="Requests to models that only this group opens to them are refused from now on. The account, its keys and its documents stay."
          names={[removing.email]}
          confirm="Remove from the group"
          onConfirm={() => change.mutateAsync({ user: removing, member: false })}
        />
      )}
    </div>
  )
}

function useMembership({ id: groupId, name }: Group) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn({ user: { id }, member }: { readonly user: User; readonly member: boolean }) {
      const params = { id, groupId }
      return member
        ? api('PUT /admin/api/v1/users/{id}/groups/{groupId}', { params })
        : api('DELETE /admin/api/v1/users/{id}/groups/{groupId}', { params })
    },
    async onSuccess(_, { user, member }) {
      await refreshUsers(queryClient)
      toast(member ? `Added ${user.email} to ${name}` : `Removed ${user.email} from ${name}`)
    },
  })
}

function AddMember({ busy, onAdd }: { readonly busy: boolean; readonly onAdd: (user: User) => Promise<unknown> }) {
  const [user, setUser] = useState<User | null>(null)
  return (
    <div className={styles.add}>
      <UserPicker label="User to add" value={user} onChange={setUser} />
      <Button
        variant="primary"
        busy={busy}
        disabled={user === null}
        onClick={() => {
          // The error is shown above the list.
          if (user !== null)
            void onAdd(user).then(
              () => setUser(null),
              () => undefined,
            )
        }}
      >
        Add
      </Button>
    </div>
  )
}

interface MemberProps {
  readonly user: User
  readonly busy: boolean
  readonly onRemove?: () => void
}

function Member({ user, busy, onRemove }: MemberProps) {
  return (
    <div className={styles.row}>
      <span className={styles.who} title={user.email}>
        {user.email}
        {user.name !== '' && <span className={styles.name}>{user.name}</span>}
      </span>
      {user.disabled && <Badge tone="danger">disabled</Badge>}
      {user.role === 'admin' && <Badge>administrator</Badge>}
      {onRemove !== undefined && (
        <Button variant="quiet" disabled={busy} onClick={onRemove} aria-label={`Remove ${user.email}`}>
          Remove
        </Button>
      )}
    </div>
  )
}
