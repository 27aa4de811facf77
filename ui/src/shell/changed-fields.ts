/** What differs between two versions of a record, in people's words. */
import { canonical, type Conflict } from '../api/conflict.ts'
import { amountText } from '../components/money.ts'

/** Every field that a change can set and that can be shown, as the forms name it. */
export const fieldLabels: Readonly<Record<string, string>> = {
  name: 'Name',
  email: 'E-mail address',
  role: 'Role',
  disabled: 'Disabled',
  description: 'Description',
  permissions: 'Permissions',
  kind: 'Kind',
  base_url: 'Base URL',
  has_credential: 'Credential',
  header_names: 'Headers',
  timeouts: 'Time limits',
  options: 'Options',
  reasoning: 'Reasoning',
  max_concurrent: 'Requests at once',
  servers: 'Servers',
  overlap_hours: 'Hours that the old secret works',
  batch: 'Batches',
  enabled: 'Switched on',
  aliases: 'Aliases',
  provider_id: 'Provider',
  upstream_name: 'Name at the provider',
  composite: 'Components',
  rules: 'Traffic rules',
  groups: 'Groups',
  active: 'Active',
  context_length: 'Context length',
  capabilities: 'Capabilities',
  inflight_limit: 'Requests in flight per account',
  amount: 'Amount',
  hard: 'Refuses requests',
  thresholds: 'Notify at (percent)',
  url: 'Address',
  types: 'Events',
  value: 'Value',
  limit: 'Requests in flight',
  scopes: 'Scopes',
  expires_at: 'Expires',
  priority: 'Priority',
  user_id: 'User',
  category: 'Category',
  owners: 'Owners',
  every_minutes: 'Minutes between runs',
  region: 'Region',
  branch: 'Branch',
  path: 'Folder',
  ignore: 'Files that are left out',
}

export interface FieldChange {
  readonly field: string
  readonly label: string
  readonly before: unknown
  readonly theirs: unknown
  /** Undefined when this person did not change the field. */
  readonly mine: { readonly value: unknown } | undefined
}

/** The fields that the other person has changed, in the order of the record. */
export function changesOf({ before, now, mine }: Conflict): readonly FieldChange[] {
  const seen = new Map<string, unknown>(Object.entries(before))
  return Object.entries(now).flatMap(([field, theirs]: [string, unknown]) => {
    const label = fieldLabels[field]
    if (label === undefined || canonical(theirs) === canonical(seen.get(field))) return []
    const own = mine !== null && field in mine ? { value: mine[field] } : undefined
    return [{ field, label, before: seen.get(field), theirs, mine: own }]
  })
}

/** A value as a sentence would name it. Ids that have a name are shown by that. */
export function valueText(field: string, value: unknown, names: ReadonlyMap<string, string>): string {
  if (field === 'amount' && typeof value === 'number') return amountText(value)
  switch (typeof value) {
    case 'boolean':
      return value ? 'Yes' : 'No'
    case 'string':
      return value === '' ? 'none' : (names.get(value) ?? value)
    case 'number':
      return value.toLocaleString('en')
    case 'object':
      return value === null ? 'none' : partsText(value, names)
    default:
      return 'none'
  }
}

/** Short parts in one line, those with parts of their own in a line each. What an object leaves open is left out. */
function partsText(value: object, names: ReadonlyMap<string, string>): string {
  const isList = Array.isArray(value)
  const parts = Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
    const text = valueText(name, each, names)
    if (isList) return [text]
    return text === 'none' ? [] : [`${name.replaceAll('_', ' ')}${text.includes(', ') ? ':\n' : ' '}${text}`]
  })
  if (parts.length === 0) return 'none'
  return parts.join(parts.some((part) => part.includes(', ') || part.includes('\n')) ? '\n' : ', ')
}
