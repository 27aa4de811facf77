/** The page of groups: each gives its members access to models. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { allGroupsQuery, allModelsQuery } from '../../api/queries.ts'
import type { Group } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { DeleteGroup } from './delete-group.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { GroupTable, type GroupAction } from './group-table.tsx'
import { isOrdinary } from './queries.ts'

const route = getRouteApi('/shell/groups')

type Opened =
  | { readonly what: 'create' }
  | { readonly what: Exclude<GroupAction, 'open'>; readonly group: Group }
  | null

export function GroupsPage() {
  const navigate = route.useNavigate()
  const groups = useQuery(allGroupsQuery)
  const models = useQuery(allModelsQuery)
  const [opened, setOpened] = useState<Opened>(null)
  const show = (id: string): void => void navigate({ to: '/groups/$id', params: { id } })
  const close = (): void => setOpened(null)
  const create = (
    <Button variant="primary" onClick={() => setOpened({ what: 'create' })}>
      <Icon name="plus" />
      Create group
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Groups"
        description="A group gives its members access to models. A user can use the models of all their groups."
        actions={create}
      />
      {groups.error !== null && <ErrorNotice error={asApiError(groups.error)} onRetry={() => void groups.refetch()} />}
      {groups.isPending && <Skeleton lines={4} label="Loading groups" />}
      {groups.data !== undefined && (
        <GroupTable
          groups={groups.data}
          models={models.data ?? null}
          onAction={(what, group) => (what === 'open' ? show(group.id) : setOpened({ what, group }))}
        />
      )}
      {groups.data?.some(isOrdinary) === false && (
        <EmptyState icon="users" title="Only “everyone” so far">
          Create a group to give only some users access to models: add users to it, then choose its models.
        </EmptyState>
      )}
      {opened?.what === 'create' && <GroupDialog group={null} onClose={close} onCreated={show} />}
      {opened?.what === 'edit' && <GroupDialog group={opened.group} onClose={close} />}
      {opened?.what === 'delete' && <DeleteGroup group={opened.group} onClose={close} />}
    </>
  )
}
