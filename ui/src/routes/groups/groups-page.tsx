/** The page of groups: each gives its members access to models. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { allGroupsQuery, allModelsQuery, resource } from '../../api/queries.ts'
import type { Group } from '../../api/schema.d.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Icon } from '../../components/icon.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { GroupDetails } from './group-details.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { GroupTable, type GroupAction } from './group-table.tsx'
import { isOrdinary } from './queries.ts'

const route = getRouteApi('/shell/groups')

type Opened =
  | { readonly what: 'create' }
  | { readonly what: Exclude<GroupAction, 'open'>; readonly group: Group }
  | null

export function GroupsPage() {
  const { group: openId } = route.useSearch()
  const navigate = route.useNavigate()
  const groups = useQuery(allGroupsQuery)
  const models = useQuery(allModelsQuery)
  const [opened, setOpened] = useState<Opened>(null)
  const show = (id: string | undefined): void => void navigate({ search: { group: id }, replace: true })
  const shown = groups.data?.find(({ id }) => id === openId)
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
      {shown !== undefined && <GroupDetails group={shown} onClose={() => show(undefined)} />}
      <OpenedDialog opened={opened} onClose={() => setOpened(null)} onCreated={show} />
    </>
  )
}

interface OpenedDialogProps {
  readonly opened: Opened
  readonly onClose: () => void
  readonly onCreated: (id: string) => void
}

function OpenedDialog({ opened, onClose, onCreated }: OpenedDialogProps) {
  switch (opened?.what) {
    case undefined:
      return null
    case 'create':
      return <GroupDialog group={null} onClose={onClose} onCreated={onCreated} />
    case 'edit':
      return <GroupDialog group={opened.group} onClose={onClose} />
    case 'delete':
      return <DeleteGroup group={opened.group} onClose={onClose} />
  }
}

function DeleteGroup({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) {
  const { data } = useQuery(allModelsQuery)
  const models = (data ?? []).filter((model) => model.groups.includes(group.id))
  const queryClient = useQueryClient()
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete the group ${group.name}?`}
      consequence="Users and models are not deleted. Members lose access to models that no other group gives them:"
      names={models.length === 0 ? ['It gives access to no model'] : models.map(({ name }) => `Model ${name}`)}
      confirm="Delete group"
      onConfirm={async () => {
        await api('DELETE /admin/api/v1/groups/{id}', { params: { id: group.id }, of: group })
        const stale = [resource.groups, resource.users, resource.models, resource.session]
        await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
        toast(`Deleted the group ${group.name}`)
      }}
    />
  )
}
