/**
 * What the command palette offers for a text: pages, actions, models and settings from what the browser has, and users,
 * keys and documents that the server finds.
 */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import { keyName } from '../api/names.ts'
import { ownModelsQuery, resource } from '../api/queries.ts'
import type { ApiKey, Document, Setting, UsableModel, User } from '../api/schema.d.ts'
import { hasEveryWord } from '../components/has-every-word.ts'
import type { IconName } from '../components/icon.tsx'
import { settingsQuery } from '../routes/settings/queries.ts'
import { titleOfSetting } from '../routes/settings/setting-titles.ts'
import { actions } from './palette-actions.ts'
import { pages } from './pages.ts'
import { useTheme, type Theme } from './theme.ts'
import { useIsAdmin } from './use-session.ts'

export interface Choice {
  readonly id: string
  readonly icon: IconName
  readonly label: string
  /** What kind of thing it is. */
  readonly kind: string
  readonly open: () => void
}

/** The most choices of one kind. */
const foundMax = 5
/** Shorter texts are not sent to the server. */
const askedMin = 2
const typingPauseMs = 200

/** What may be a request id: one that Sluice made, or a client's own with a digit in it. */
const requestId = /^(?=.*\d)[\w.:-]{8,128}$/

interface FoundRecords {
  readonly users: readonly User[]
  readonly keys: readonly ApiKey[]
  readonly documents: readonly Document[]
}

/** What the server finds for a text. Users are for administrators; keys are the own ones, or for them everyone's. */
function foundQuery(text: string, isAdmin: boolean) {
  return queryOptions({
    queryKey: [...resource.users, 'palette', text, isAdmin],
    queryFn: async ({ signal }): Promise<FoundRecords> => {
      const query = { q: text, limit: foundMax }
      const [users, keys, documents] = await Promise.all([
        isAdmin ? api('GET /admin/api/v1/users', { query, signal }).then(({ data }) => data) : [],
        isAdmin
          ? api('GET /admin/api/v1/keys', { query, signal })
          : api('GET /admin/api/v1/me/keys', { query, signal }),
        api('GET /api/v1/documents', { query: { name: text, limit: foundMax }, signal }),
      ])
      return { users, keys: keys.data, documents: documents.data }
    },
    placeholderData: keepPreviousData,
  })
}

/** The choices in the order in which they are shown, and whether the server is still looking. */
export function useChoices(typed: string): { readonly choices: readonly Choice[]; readonly isLooking: boolean } {
  const isAdmin = useIsAdmin()
  const navigate = useNavigate()
  const [, setTheme] = useTheme()
  const text = typed.trim()
  const asked = usePaused(text)
  const models = useQuery(ownModelsQuery).data ?? []
  const settings = useQuery({ ...settingsQuery, enabled: isAdmin && text !== '' }).data ?? []
  const found = useQuery({ ...foundQuery(asked, isAdmin), enabled: asked.length >= askedMin })
  const isAsked = asked.length >= askedMin && text.length >= askedMin
  const search = { text, isAdmin, navigate, setTheme }
  const choices = [
    ...pageChoices(search),
    ...(text === '' ? [] : [...actionChoices(search), ...modelChoices(search, models)]),
    ...(isAsked && found.data !== undefined ? foundChoices(search, found.data) : []),
    ...(text === '' ? [] : settingChoices(search, settings)),
    ...requestChoices(search),
  ]
  return { choices, isLooking: text.length >= askedMin && (asked !== text || found.isFetching) }
}

interface Search {
  readonly text: string
  readonly isAdmin: boolean
  readonly navigate: ReturnType<typeof useNavigate>
  readonly setTheme: (theme: Theme) => void
}

function pageChoices({ text, isAdmin, navigate }: Search): readonly Choice[] {
  return pages
    .filter((page) => (page.admin === undefined || isAdmin) && hasEveryWord([page.label], text))
    .map(({ path, icon, label }) => ({ id: path, icon, label, kind: 'Page', open: () => void navigate({ to: path }) }))
}

function actionChoices({ text, isAdmin, navigate, setTheme }: Search): readonly Choice[] {
  return actions
    .filter((each) => (each.admin === undefined || isAdmin) && hasEveryWord([each.label, each.words], text))
    .map(({ id, icon, label, run }) => ({ id, icon, label, kind: 'Action', open: () => run({ navigate, setTheme }) }))
}

function modelChoices({ text, navigate }: Search, models: readonly UsableModel[]): readonly Choice[] {
  return models
    .filter(({ name, aliases }) => hasEveryWord([name, ...aliases], text))
    .slice(0, foundMax)
    .map(({ name }) => ({
      ...ofKind('Model', name),
      label: name,
      open: () => void navigate({ to: '/models/about/$name', params: { name } }),
    }))
}

function foundChoices({ isAdmin, navigate }: Search, { users, keys, documents }: FoundRecords): readonly Choice[] {
  return [
    ...users.map(({ id, email, name }) => ({
      ...ofKind('User', id),
      label: name === '' ? email : `${name}, ${email}`,
      open: () => void navigate({ to: '/users/$id', params: { id } }),
    })),
    ...keys.map((key) => ({
      ...ofKind('API key', key.id),
      label: keyName(key),
      open: () => void navigate({ to: '/keys', search: { q: key.prefix, owner: isAdmin ? 'anyone' : undefined } }),
    })),
    ...documents.map(({ doc_id: id, name }) => ({
      ...ofKind('Document', id),
      label: name,
      open: () => void navigate({ to: '/documents/$id', params: { id } }),
    })),
  ]
}

function settingChoices({ text, navigate }: Search, settings: readonly Setting[]): readonly Choice[] {
  return settings
    .filter(({ name, sentence }) => hasEveryWord([titleOfSetting(name), name, sentence], text))
    .slice(0, foundMax)
    .map(({ name }) => ({
      ...ofKind('Setting', name),
      label: titleOfSetting(name),
      open: () => void navigate({ to: '/settings', search: { q: name } }),
    }))
}

function requestChoices({ text, navigate }: Search): readonly Choice[] {
  if (!requestId.test(text)) return []
  const open = (): void => void navigate({ to: '/requests/$id', params: { id: text } })
  return [{ ...ofKind('Request', 'request'), label: text, open }]
}

const icons = {
  Model: 'models',
  User: 'user',
  'API key': 'key',
  Document: 'docs',
  Setting: 'settings',
  Request: 'list',
} as const satisfies Record<string, IconName>

function ofKind(kind: keyof typeof icons, id: string): Pick<Choice, 'id' | 'icon' | 'kind'> {
  return { id: `${kind} ${id}`.replaceAll(/\s/g, '-'), icon: icons[kind], kind }
}

/** The text once typing pauses. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingPauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}
