/** The models that the members of a group can use. A change applies to the next request. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { allModelsQuery, resource } from '../../api/queries.ts'
import type { Group, ModelRecord } from '../../api/schema.d.ts'
import { CheckList } from '../../components/check-list.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import styles from './group-models.module.css'

export function GroupModels({ group }: { readonly group: Group }) {
  const models = useQuery(allModelsQuery)
  const accessChange = useAccessChange(group.id)
  const isOpen = (model: ModelRecord): boolean => model.groups.includes(group.id)
  return (
    <div className={styles.block}>
      <p className={styles.hint}>Changes apply to the next request.</p>
      {accessChange.error !== null && <ErrorNotice error={asApiError(accessChange.error)} />}
      {models.error !== null && <ErrorNotice error={asApiError(models.error)} onRetry={() => void models.refetch()} />}
      {models.isPending && <Skeleton lines={3} label="Loading models" />}
      {models.data !== undefined && (
        <CheckList
          label={`Models of ${group.name}`}
          options={models.data.map((model) => ({
            value: model.id,
            label: model.name,
            ...noteOf(model),
            disabled: model.declared,
          }))}
          chosen={new Set(models.data.filter(isOpen).map(({ id }) => id))}
          onChange={(chosen) => {
            const changed = models.data.find((model) => chosen.has(model.id) !== isOpen(model))
            if (changed !== undefined) accessChange.mutate({ model: changed, open: chosen.has(changed.id) })
          }}
        />
      )}
    </div>
  )
}

function noteOf({ declared, active }: ModelRecord): { readonly note?: string } {
  if (declared) return { note: 'declared in the configuration file' }
  return active ? {} : { note: 'not active' }
}

/** Shown at once, and reverted when the server refuses the change. */
function useAccessChange(groupId: string) {
  const queryClient = useQueryClient()
  const { queryKey } = allModelsQuery
  const mutationKey = [...resource.groups, 'open', groupId]
  return useMutation({
    mutationKey,
    // One after the other, each of the version that the one before has made.
    scope: { id: 'model-access' },
    mutationFn: ({ model, open }: { readonly model: ModelRecord; readonly open: boolean }) => {
      const of = queryClient.getQueryData(queryKey)?.find(({ id }) => id === model.id) ?? model
      return api('PATCH /admin/api/v1/models/{id}', {
        params: { id: model.id },
        body: { groups: groupsWith(of, groupId, open) },
        of,
      })
    },
    onSuccess: ({ id, etag }) =>
      queryClient.setQueryData(queryKey, (models) =>
        models?.map((each) => (each.id === id ? { ...each, etag } : each)),
      ),
    async onMutate({ model, open }) {
      await queryClient.cancelQueries({ queryKey })
      const before = queryClient.getQueryData(queryKey)
      queryClient.setQueryData(queryKey, (models) =>
        models?.map((each) => (each.id === model.id ? { ...each, groups: groupsWith(each, groupId, open) } : each)),
      )
      return before
    },
    onError: (_error, _change, before) => queryClient.setQueryData(queryKey, before),
    async onSettled() {
      // Reading during another change would show the other change reverted for a moment.
      if (queryClient.isMutating({ mutationKey }) === 1)
        await queryClient.invalidateQueries({ queryKey: resource.models })
    },
  })
}

function groupsWith({ groups }: ModelRecord, groupId: string, open: boolean): readonly string[] {
  const others = groups.filter((id) => id !== groupId)
  return open ? [...others, groupId] : others
}
