/** The queries and changes of the page of settings. */
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { resource } from '../../api/queries.ts'
import type { Setting } from '../../api/schema.d.ts'
import { toast } from '../../components/toast.tsx'
import type { SettingValue } from './setting-text.ts'
import { titleOfSetting } from './setting-titles.ts'

/** All settings with their values and sources. */
export const settingsQuery = queryOptions({
  queryKey: [...resource.settings, 'all'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/settings', { signal })).data,
})

/** The in-flight limits of accounts. */
export const ownLimitsQuery = queryOptions({
  queryKey: [...resource.settings, 'own-limits'],
  queryFn: async ({ signal }) => (await api('GET /admin/api/v1/inflight-limits', { signal })).data,
})

/** Version, database, uptime. */
export const aboutQuery = queryOptions({
  queryKey: [...resource.settings, 'about'],
  queryFn: ({ signal }) => api('GET /admin/api/v1/about', { signal }),
  staleTime: 0,
})

/** Stores a value; null resets the setting to its default. */
export function useSettingChange(setting: Setting) {
  const { name } = setting
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (value: SettingValue | null) =>
      value === null
        ? api('DELETE /admin/api/v1/settings/{name}', { params: { name }, of: setting })
        : api('PUT /admin/api/v1/settings/{name}', { params: { name }, body: { value }, of: setting }),
    async onSuccess(changed, value) {
      queryClient.setQueryData(settingsQuery.queryKey, (all) => replaced(all, changed))
      toast(value === null ? `Reset “${titleOfSetting(name)}” to its default` : `Saved “${titleOfSetting(name)}”`)
      await queryClient.invalidateQueries({ queryKey: resource.settings })
    },
  })
}

function replaced(all: readonly Setting[] | undefined, changed: Setting): readonly Setting[] | undefined {
  return all?.map((each) => (each.name === changed.name ? changed : each))
}
