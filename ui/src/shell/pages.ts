/**
 * The pages of the navigation and the command palette, in order. A new page is one row here and one
 * route in router.tsx.
 */
import type { IconName } from '../components/icon.tsx'

export interface Page {
  readonly path:
    | '/'
    | '/models'
    | '/documents'
    | '/playground'
    | '/batches'
    | '/vector-stores'
    | '/keys'
    | '/usage'
    | '/cost'
    | '/requests'
    | '/users'
    | '/groups'
    | '/providers'
    | '/sources'
    | '/webhooks'
    | '/audit'
    | '/exports'
    | '/settings'
    | '/account'
    | '/welcome'
  readonly label: string
  readonly icon: IconName
  /** For administrators only; listed under "Administration". */
  readonly admin?: true
  /** In the palette but not in the navigation. */
  readonly paletteOnly?: true
}

export const pages: readonly Page[] = [
  { path: '/', label: 'Overview', icon: 'overview' },
  { path: '/models', label: 'Models', icon: 'models' },
  { path: '/playground', label: 'Playground', icon: 'chat' },
  { path: '/documents', label: 'Documents', icon: 'docs' },
  { path: '/vector-stores', label: 'Vector stores', icon: 'library' },
  { path: '/batches', label: 'Batches', icon: 'layers' },
  { path: '/keys', label: 'API Keys', icon: 'key' },
  { path: '/usage', label: 'Usage', icon: 'chart' },
  { path: '/cost', label: 'Cost', icon: 'coins' },
  { path: '/requests', label: 'Requests', icon: 'list' },
  { path: '/welcome', label: 'Getting started', icon: 'guide' },
  { path: '/users', label: 'Users', icon: 'users', admin: true },
  { path: '/groups', label: 'Groups', icon: 'folder', admin: true },
  { path: '/providers', label: 'Providers', icon: 'provider', admin: true },
  { path: '/sources', label: 'Sources', icon: 'retry', admin: true },
  { path: '/webhooks', label: 'Webhooks', icon: 'upload', admin: true },
  { path: '/audit', label: 'Audit log', icon: 'lock', admin: true },
  { path: '/exports', label: 'Exports', icon: 'download', admin: true },
  { path: '/settings', label: 'Settings', icon: 'settings', admin: true },
  { path: '/account', label: 'Your account', icon: 'user', paletteOnly: true },
]
