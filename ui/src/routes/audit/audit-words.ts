/** Rows of the audit log in people's words. */
import type { AuditRow } from '../../api/schema.d.ts'

const verbs: Readonly<Record<string, string>> = {
  POST: 'Created',
  PATCH: 'Changed',
  PUT: 'Set',
  DELETE: 'Removed',
}

/** What is done to a record by a POST below its path, and other words than the path has. */
const actions: Readonly<Record<string, string>> = {
  'sign-in': 'Signed in',
  'DELETE /session': 'Signed out',
  'DELETE /me/sessions': 'Signed out everywhere',
  'POST /me/password': 'Changed the own password',
  'POST /users/:id/password': 'Set the password of a user',
  'PUT /users/:id/groups/:groupId': 'Added a user to a group',
  'DELETE /users/:id/groups/:groupId': 'Removed a user from a group',
  'POST /keys/delete': 'Removed API keys',
  'POST /me/keys/delete': 'Removed API keys',
  'POST /users/:id/keys': 'Created an API key for a user',
  'POST /providers/test': 'Tested a connection',
  'POST /providers/:id/test': 'Tested a provider',
  'POST /providers/:id/import-models': 'Imported models',
  'POST /prices/import': 'Imported prices',
  'POST /prices/recompute': 'Recomputed costs',
  'POST /budgets/:id/reconcile': 'Reconciled a budget',
  'POST /webhooks/:id/rotate': 'Made a new secret of a webhook',
  'POST /sources/:id/run': 'Had a source looked at',
  'POST /sources/:id/dry-run': 'Tried a source',
  'PUT /me/guide': 'Changed the own guide',
  'POST /oidc/test': 'Tested an issuer',
  'POST /webhooks/:id/test': 'Tested a webhook',
  'POST /webhooks/:id/replay': 'Sent events again',
  'POST /webhooks/:id/deliveries/:deliveryId/replay': 'Sent an event again',
}

const things: Readonly<Record<string, string>> = {
  keys: 'an API key',
  'inflight-limits': 'an in-flight limit',
  settings: 'a setting',
  users: 'a user',
}

/** What happened: “Changed a provider”. */
export function actionText({ action, outcome }: Pick<AuditRow, 'action' | 'outcome'>): string {
  if (action === 'sign-in') return outcome === 'done' ? 'Signed in' : 'Tried to sign in'
  const known = actions[action]
  if (known !== undefined) return known
  const [method = '', path = ''] = action.split(' ')
  const verb = verbs[method]
  // Actions of the configuration file are words already.
  if (verb === undefined) return action.charAt(0).toUpperCase() + action.slice(1)
  const thing = path.split('/').findLast((part) => part !== '' && !part.startsWith(':')) ?? path
  return `${verb} ${things[thing] ?? `a ${thing.replace(/s$/, '')}`}`
}

const ways: Readonly<Record<AuditRow['source'], string>> = {
  session: 'Console or session',
  key: 'API key',
  operator: 'Command line on the server',
  file: 'Configuration file',
  'sign-in': 'Sign-in',
}

/** How the request came. */
export function wayText({ source }: Pick<AuditRow, 'source'>): string {
  return ways[source]
}

/** Rows without those beginnings whose end is in the list, which says more. A beginning that stays has no end that is known here. */
export function withoutBegun(rows: readonly AuditRow[]): readonly AuditRow[] {
  const ended = new Set(rows.map(({ details }) => details['begun']))
  return rows.filter(({ outcome, seq }) => outcome !== 'begun' || !ended.has(seq))
}
