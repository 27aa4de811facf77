/** Groups settings under headings, and searches them. */
import type { Setting } from '../../api/schema.d.ts'
import { hasEveryWord } from '../../components/has-every-word.ts'

export interface SettingGroup {
  readonly title: string
  readonly settings: readonly Setting[]
}

const titles: Readonly<Record<string, string>> = {
  auth: 'Sign-in',
  cluster: 'Replicas',
  discovery: 'Discovery',
  embeddings: 'Embeddings',
  failover: 'Failover',
  gateway: 'Requests',
  health: 'Health of providers',
  limits: 'In-flight limits',
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

/** Searches the name, the description and the variable of a setting. */
export function matchesSearch({ name, sentence, variable }: Setting, search: string): boolean {
  return hasEveryWord([name, sentence, variable], search)
}

function titleOf(name: string): string {
  if (name.startsWith('auth.oidc.')) return 'Single sign-on'
  const [prefix = ''] = name.split('.')
  if (!name.includes('.')) return 'General'
  return titles[prefix] ?? prefix.charAt(0).toUpperCase() + prefix.slice(1)
}
