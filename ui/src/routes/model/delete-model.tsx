/** Deletes a model, after listing its aliases and the models that need it. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allModelsQuery, resource } from '../../api/queries.ts'
import type { ModelRecord } from '../../api/schema.d.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { toast } from '../../components/toast.tsx'

export interface DeleteModelProps {
  /** The model to delete; null closes the dialog. */
  readonly model: ModelRecord | null
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export function DeleteModel({ model, onClose, onDeleted }: DeleteModelProps) {
  const queryClient = useQueryClient()
  const { data: models = [] } = useQuery({ ...allModelsQuery, enabled: model !== null })
  if (model === null) return null
  async function remove(removed: ModelRecord): Promise<void> {
    const { id, name } = removed
    await api('DELETE /admin/api/v1/models/{id}', { params: { id }, of: removed })
    toast(`Deleted ${name}`)
    onDeleted?.()
    queryClient.removeQueries({ queryKey: [...resource.models, 'one', id] })
    await queryClient.invalidateQueries({ queryKey: resource.models })
  }
  const users = usersOf(model, models)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete ${model.name}?`}
      consequence={
        users.length === 0
          ? 'Requests to it are refused from now on. Usage records are kept.'
          : `It is used by ${users.join(', ')}. Change or delete these first.`
      }
      names={[model.name, ...model.aliases.map((alias) => `${alias} (alias)`)]}
      confirm="Delete the model"
      onConfirm={() => remove(model)}
    />
  )
}

/** The models that refer to this one. */
function usersOf({ id }: ModelRecord, models: readonly ModelRecord[]): readonly string[] {
  return models
    .filter(
      ({ composite, rules }) =>
        composite?.components.some((component) => component.model === id) === true ||
        [rules.realtime, rules.batch].some((rule) => rule?.action === 'redirect' && rule.model === id),
    )
    .map(({ name, composite }) => (composite === null ? `a rule of ${name}` : `the composite ${name}`))
}
