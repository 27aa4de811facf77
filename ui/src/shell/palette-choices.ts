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
import { hasEveryWord } from '../components/has-every-word.ts'
import type { IconName } from '../components/icon.tsx'
import { settingsQuery } from '../routes/settings/queries.ts'
import { actions } from './palette-actions.ts'
import { pages } from './pages.ts'
import { useTheme } from './theme.ts'
import { useIsAdmin } from './use-session.ts'

export interface Choice {
  readonly id: string
  readonly icon: IconName
  readonly label: string
  /** What kind of thing it is. */
  readonly kind: string
  readonly open: () => void
}

/** Of each kind. */
const foundMax = 5
const typingPauseMs = 200

/** What may be a request id: one that Sluice made, or a client's own with a digit in it. */
const requestId = /^(?=.*\d)[\w.:-]{8,128}$/

/** What the server finds for a text. Users are for administrators; keys are the own ones, or for them everyone's. */
function foundQuery(text: string, isAdmin: boolean) {
  return queryOptions({
    queryKey: [...resource.users, 'palette', text, isAdmin],
    queryFn: async ({ signal }) => {
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
  const found = useQuery({ ...foundQuery(asked, isAdmin), enabled: asked.length >= 2 })
  const { users = [], keys = [], documents = [] } = asked.length >= 2 && text.length >= 2 ? (found.data ?? {}) : {}
  const matches = (...texts: readonly string[]): boolean => hasEveryWord(texts, text)
  const named = pages.filter((page) => (page.admin === undefined || isAdmin) && matches(page.label))
  const choices: Choice[] = named.map(({ path, icon, label }) => ({
    id: path,
    icon,
    label,
    kind: 'Page',
    open: () => void navigate({ to: path }),
  }))
  if (text !== '') {
    for (const action of actions.filter(
      (each) => (each.admin === undefined || isAdmin) && matches(each.label, each.words),
    ))
      choices.push({ ...action, kind: 'Action', open: () => action.run({ navigate, setTheme }) })
    for (const { name } of models.filter(({ name: own, aliases }) => matches(own, ...aliases)).slice(0, foundMax))
      choices.push(
        choice('models', 'Model', name, name, () => void navigate({ to: '/models/about/$name', params: { name } })),
      )
  }
  for (const { id, email, name } of users)
    choices.push(
      choice(
        'user',
        'User',
        id,
        name === '' ? email : `${name}, ${email}`,
        () => void navigate({ to: '/users/$id', params: { id } }),
      ),
    )
  for (const key of keys)
    choices.push(
      choice(
        'key',
        'API key',
        key.id,
        keyName(key),
        () => void navigate({ to: '/keys', search: { q: key.prefix, owner: isAdmin ? 'anyone' : undefined } }),
      ),
    )
  for (const { doc_id: id, name } of documents)
    choices.push(choice('docs', 'Document', id, name, () => void navigate({ to: '/documents/$id', params: { id } })))
  if (text !== '')
    for (const { name } of settings.filter((each) => matches(each.name, each.sentence)).slice(0, foundMax))
      choices.push(
        choice('settings', 'Setting', name, name, () => void navigate({ to: '/settings', search: { q: name } })),
      )
  if (requestId.test(text))
    choices.push(
      choice('list', 'Request', 'request', text, () => void navigate({ to: '/requests/$id', params: { id: text } })),
    )
  return { choices, isLooking: text.length >= 2 && (asked !== text || found.isFetching) }
}

function choice(icon: IconName, kind: string, id: string, label: string, open: () => void): Choice {
  return { id: `${kind} ${id}`.replaceAll(/\s/g, '-'), icon, label, kind, open }
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
