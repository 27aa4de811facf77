/** Groups settings under headings, and searches them. */
import type { Setting } from '../../api/schema.d.ts'
import { hasEveryWord } from '../../components/has-every-word.ts'
import { titleOfSetting } from './setting-titles.ts'

export interface SettingGroup {
  readonly title: string
  readonly settings: readonly Setting[]
}

/** The group whose issuer can be tested. */
export const singleSignOn = 'Single sign-on'

const titles: Readonly<Record<string, string>> = {
  audit: 'Audit log',
  auth: 'Sign-in',
  cluster: 'Replicas',
  content_log: 'Logged content',
  embeddings: 'Shared embeddings calls',
  failover: 'Failover',
  files: 'Uploaded files',
  gateway: 'Calls of models',
  health: 'Health of providers',
  limits: 'Limits and queues',
  log: 'Log',
  realtime: 'Realtime sessions',
  usage: 'Usage records',
  responses: 'Stored responses',
}

/** Groups settings by the first part of their names, in the server's order. */
export function groupsOf(settings: readonly Setting[]): readonly SettingGroup[] {
  const groups = new Map<string, Setting[]>()
  for (const setting of settings) {
    const title = titleOf(setting.name)
    const group = groups.get(title)
    if (group === undefined) groups.set(title, [setting])
    else group.push(setting)
  }
  return [...groups].map(([title, members]) => ({ title, settings: members }))
}

/** Searches the title, the name, the description and the variable of a setting. */
export function matchesSearch({ name, sentence, variable }: Setting, search: string): boolean {
  return hasEveryWord([titleOfSetting(name), titleOf(name), name, sentence, variable], search)
}

function titleOf(name: string): string {
  if (name.startsWith('auth.oidc.')) return singleSignOn
  const [prefix = ''] = name.split('.')
  if (!name.includes('.')) return 'General'
  return titles[prefix] ?? prefix.charAt(0).toUpperCase() + prefix.slice(1)
}
