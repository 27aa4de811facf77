/** Names that are declared twice in one file, or that may not be declared. */
import type { Declared } from './declared.ts'
import type { Problem } from '../problem.ts'

interface Claim {
  readonly name: string
  /** Where it is claimed. */
  readonly path: string
}

const reservedGroups: ReadonlyMap<string, string> = new Map([['everyone', 'the built-in group']])

/** One problem for each name that is taken already: by an earlier entity, or by Sluice itself. */
export function repeatedNames(file: string, declared: Declared): readonly Problem[] {
  const modelNames: Claim[] = declared.models.flatMap(({ path, name, aliases }) => [
    { name, path: `${path}.name` },
    ...aliases.map((alias, index) => ({ name: alias, path: `${path}.aliases[${index}]` })),
  ])
  const aliases = declared.aliases.map(({ path, alias }): Claim => ({ name: alias, path }))
  return [
    ...repeated(file, declared.providers.map(named)),
    ...repeated(file, declared.groups.map(named), reservedGroups),
    ...repeated(
      file,
      declared.users.map(({ path, email }) => ({ name: email, path: `${path}.email` })),
    ),
    ...repeated(file, [...modelNames, ...aliases]),
    ...repeated(
      file,
      declared.budgets.map(({ path, scope, name, period }) => ({ name: `${period} of ${scope} ${name}`, path })),
    ),
    ...aliasesOfAliases(file, declared),
  ]
}

function named({ path, name }: { readonly path: string; readonly name: string }): Claim {
  return { name, path: `${path}.name` }
}

function repeated(
  file: string,
  claims: readonly Claim[],
  reserved: ReadonlyMap<string, string> = new Map(),
): Problem[] {
  const taken = new Map(reserved)
  return claims.flatMap(({ name, path }) => {
    const by = taken.get(name)
    if (by === undefined) taken.set(name, path)
    return by === undefined ? [] : [nameProblem(file, { name, path }, `the name is taken by ${by}`)]
  })
}

function aliasesOfAliases(file: string, declared: Declared): Problem[] {
  const aliases = new Set([
    ...declared.models.flatMap((model) => model.aliases),
    ...declared.aliases.map(({ alias }) => alias),
  ])
  const models = new Set(declared.models.map(({ name }) => name))
  return declared.aliases
    .filter(({ model }) => aliases.has(model) && !models.has(model))
    .map(({ path, model }) => ({
      ...nameProblem(file, { name: model, path }, 'expected the name of a model, and this is an alias'),
      remedy: 'Write the name of the model itself.',
    }))
}

function nameProblem(file: string, { name, path }: Claim, expected: string): Problem {
  return {
    name: path,
    source: `${file}: ${path}`,
    value: JSON.stringify(name),
    expected,
    remedy: 'Choose another name.',
  }
}
