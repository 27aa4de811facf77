/**
 * Makes the store agree with what the configuration file declares. The file is the truth for what it
 * names: entities are added, changed or, when an administrator made one of the same name, taken
 * over. What it no longer names stays as it is and becomes editable again.
 */
import type { Declared } from '#config/declared/declared.ts'
import type { Logger } from '#observe/log.ts'
import type { AuditEntry } from '#store/audit.ts'
import { NameTaken } from '#store/errors.ts'
import type { Store } from '#store/store.ts'
import type { ApplyContext } from './apply-context.ts'
import { applyGroup, applyMembers, applyUser } from './declared-accounts.ts'
import { applyModels, applyProvider } from './declared-catalog.ts'
import { applyBudgets, applyPrices } from './declared-money.ts'
import { declaredProblems, readStoredEntities } from './stored-entities.ts'
import { StartProblem } from './start-problem.ts'

export interface ApplyOptions {
  readonly store: Store
  readonly declared: Declared
  /** The kinds of provider that this version knows. */
  readonly kinds: readonly string[]
  readonly logger: Logger
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Processes that start together from one file may all try to add an entity; the losers look again. */
const attemptsMax = 3

/**
 * Applies everything and returns the number of changes: 0 when the store agreed already, and then
 * nothing was written. Throws StartProblem, before any change, when something declared cannot be
 * applied.
 */
export async function applyDeclared(options: ApplyOptions): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyOnce(options)
    } catch (thrown) {
      if (!(thrown instanceof NameTaken) || attempt === attemptsMax) throw thrown
    }
  }
}

async function applyOnce({ store, declared, kinds, logger, now }: ApplyOptions): Promise<number> {
  const entities = await readStoredEntities(store)
  const problems = declaredProblems(declared, entities, kinds)
  if (problems.length > 0) throw new StartProblem(problems)
  const changes: AuditEntry[] = []
  const context: ApplyContext = {
    store,
    entities,
    now,
    note(what, kind, name) {
      changes.push(entryOf(now, `${kind} ${what}`, name))
      logger.info(`configuration file: ${kind} ${what}`, { name })
    },
  }
  try {
    await applyTo(context, declared)
  } finally {
    for (const change of changes) await store.audit.append(change)
  }
  return changes.length
}

async function applyTo(context: ApplyContext, declared: Declared): Promise<void> {
  await release(context, declared)
  for (const provider of declared.providers) await applyProvider(context, provider)
  for (const group of declared.groups) await applyGroup(context, group)
  for (const user of declared.users) await applyUser(context, user)
  await applyMembers(context, declared.groups)
  await applyModels(context, declared)
  await applyPrices(context, declared.models)
  await applyBudgets(context, declared.budgets)
}

function entryOf(at: number, action: string, record: string): AuditEntry {
  const nobody = { actor: '', actorId: null, keyId: null, address: '', requestId: '' }
  return { at, action, outcome: 'done', source: 'file', record, details: {}, ...nobody }
}

/** Takes the mark from what the file no longer declares. */
async function release({ store, entities, now, note }: ApplyContext, declared: Declared): Promise<void> {
  const released = { declared: false } as const
  for (const { id, name } of goneFrom(entities.providers, declared.providers.map(named))) {
    await store.providers.update(id, released)
    note('released', 'provider', name)
  }
  for (const { id, name } of goneFrom(entities.models, declared.models.map(named))) {
    await store.models.update(id, released)
    note('released', 'model', name)
  }
  for (const { id, name } of goneFrom(entities.groups, declared.groups.map(named))) {
    await store.groups.update(id, released)
    note('released', 'group', name)
  }
  for (const { id, email } of goneFrom(
    entities.users,
    declared.users.map((user) => user.email),
  )) {
    await store.users.update(id, released, now)
    note('released', 'user', email)
  }
}

function goneFrom<R extends { readonly declared: boolean }>(
  entities: ReadonlyMap<string, R>,
  names: readonly string[],
): readonly R[] {
  const kept = new Set(names)
  return [...entities].filter(([name, record]) => record.declared && !kept.has(name)).map(([, record]) => record)
}

function named({ name }: { readonly name: string }): string {
  return name
}
