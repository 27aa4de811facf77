/**
 * Makes the store agree with what the configuration file declares. The file is the truth for what it
 * names: entities are added, changed or, when an administrator made one of the same name, taken
 * over. What it no longer names stays as it is and becomes editable again.
 */
import type { Declared } from '#config/declared/declared.ts'
import type { Logger } from '#observe/log.ts'
import { NameTaken } from '#store/errors.ts'
import type { Store } from '#store/store.ts'
import type { Applying } from './applying.ts'
import { applyGroup, applyMembers, applyUser } from './declared-accounts.ts'
import { applyModels, applyProvider } from './declared-catalog.ts'
import { declaredProblems, readStock } from './declared-stock.ts'
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
  const stock = await readStock(store)
  const problems = declaredProblems(declared, stock, kinds)
  if (problems.length > 0) throw new StartProblem(problems)
  let changes = 0
  const applying: Applying = {
    store,
    stock,
    now,
    note(what, kind, name) {
      changes += 1
      logger.info(`configuration file: ${kind} ${what}`, { name })
    },
  }
  await release(applying, declared)
  for (const provider of declared.providers) await applyProvider(applying, provider)
  for (const group of declared.groups) await applyGroup(applying, group)
  for (const user of declared.users) await applyUser(applying, user)
  await applyMembers(applying, declared.groups)
  await applyModels(applying, declared)
  return changes
}

/** Takes the mark from what the file no longer declares. */
async function release({ store, stock, now, note }: Applying, declared: Declared): Promise<void> {
  const released = { declared: false } as const
  for (const { id, name } of goneFrom(stock.providers, declared.providers.map(named))) {
    await store.providers.update(id, released)
    note('released', 'provider', name)
  }
  for (const { id, name } of goneFrom(stock.models, declared.models.map(named))) {
    await store.models.update(id, released)
    note('released', 'model', name)
  }
  for (const { id, name } of goneFrom(stock.groups, declared.groups.map(named))) {
    await store.groups.update(id, released)
    note('released', 'group', name)
  }
  for (const { id, email } of goneFrom(
    stock.users,
    declared.users.map((user) => user.email),
  )) {
    await store.users.update(id, released, now)
    note('released', 'user', email)
  }
}

function goneFrom<R extends { readonly declared: boolean }>(
  stock: ReadonlyMap<string, R>,
  names: readonly string[],
): readonly R[] {
  const kept = new Set(names)
  return [...stock].filter(([name, record]) => record.declared && !kept.has(name)).map(([, record]) => record)
}

function named({ name }: { readonly name: string }): string {
  return name
}
