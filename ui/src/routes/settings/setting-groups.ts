/** Settings under headings, in the order of the server, and the ones that a search finds. */
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

/** Settings whose names begin alike stand together. */
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

/** Every word of the search is somewhere in the name, the sentence or the variable. */
export function matchesSearch({ name, sentence, variable }: Setting, search: string): boolean {
  return hasEveryWord([name, sentence, variable], search)
}

function titleOf(name: string): string {
  if (name.startsWith('auth.oidc.')) return 'Single sign-on'
  const [prefix = ''] = name.split('.')
  if (!name.includes('.')) return 'General'
  return titles[prefix] ?? prefix.charAt(0).toUpperCase() + prefix.slice(1)
}
