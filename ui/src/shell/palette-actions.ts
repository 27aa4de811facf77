/** The actions of the command palette. A new one is a row here. */
import type { useNavigate } from '@tanstack/react-router'
import type { IconName } from '../components/icon.tsx'
import { openShortcuts } from './open-shortcuts.ts'
import type { Theme } from './theme.ts'

interface Means {
  readonly navigate: ReturnType<typeof useNavigate>
  readonly setTheme: (theme: Theme) => void
}

export interface PaletteAction {
  readonly id: string
  readonly icon: IconName
  readonly label: string
  /** Other words that find it. */
  readonly words: string
  readonly admin?: true
  readonly run: (means: Means) => void
}

const theme = (value: Theme, label: string): PaletteAction => ({
  id: `theme-${value}`,
  icon: 'settings',
  label,
  words: 'theme colours appearance',
  run: ({ setTheme }) => setTheme(value),
})

export const actions: readonly PaletteAction[] = [
  {
    id: 'new-key',
    icon: 'key',
    label: 'Create an API key',
    words: 'new token secret',
    run: ({ navigate }) => void navigate({ to: '/keys', search: { new: true } }),
  },
  {
    id: 'invite',
    icon: 'users',
    label: 'Invite people',
    words: 'new user account add',
    admin: true,
    run: ({ navigate }) => void navigate({ to: '/users', search: { new: true } }),
  },
  {
    id: 'new-model',
    icon: 'models',
    label: 'Create a model',
    words: 'new add',
    admin: true,
    run: ({ navigate }) => void navigate({ to: '/models/new' }),
  },
  {
    id: 'new-composite',
    icon: 'models',
    label: 'Create a composite model',
    words: 'new add fallback',
    admin: true,
    run: ({ navigate }) => void navigate({ to: '/models/new', search: { kind: 'composite' } }),
  },
  {
    id: 'sessions',
    icon: 'lock',
    label: 'Change your password or sign out everywhere',
    words: 'sessions account',
    run: ({ navigate }) => void navigate({ to: '/account' }),
  },
  theme('light', 'Use the light theme'),
  theme('dark', 'Use the dark theme'),
  theme('system', 'Use the theme of the system'),
  {
    id: 'shortcuts',
    icon: 'guide',
    label: 'Show keyboard shortcuts',
    words: 'keys help',
    run: () => openShortcuts(),
  },
]
