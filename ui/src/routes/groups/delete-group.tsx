/** Deletes a group, after naming the models that its members may lose. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allModelsQuery, resource } from '../../api/queries.ts'
import type { Group } from '../../api/schema.d.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'

export interface DeleteGroupProps {
  readonly group: Group
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export function DeleteGroup({ group, onClose, onDeleted }: DeleteGroupProps) {
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
        // The page of a group that is gone is left before it is read again.
        onDeleted?.()
        const stale = [resource.groups, resource.users, resource.models, resource.session]
        await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
        toast(`Deleted the group ${group.name}`)
      }}
    />
  )
}
