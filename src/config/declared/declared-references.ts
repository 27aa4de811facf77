/**
 * References between models of one file that are not allowed: a composite in a composite, a redirect
 * to itself or to a model that redirects again.
 */
import { redirectsIn, type Declared } from './declared.ts'
import type { Problem } from '../problem.ts'

/** One problem for each component or redirect that is not allowed. */
export function invalidReferences(file: string, declared: Declared): readonly Problem[] {
  const problem = (path: string, name: string, expected: string): Problem => ({
    name: path,
    source: `${file}: ${path}`,
    value: JSON.stringify(name),
    expected,
    remedy: 'Name another model.',
  })
  return [
    ...nestedComposites(declared).map(({ path, name }) =>
      problem(path, name, 'expected a plain model, and this is a composite'),
    ),
    ...redirectChains(declared).map(({ path, name }) =>
      problem(path, name, 'expected a model that does not redirect requests of this purpose itself'),
    ),
  ]
}

interface Reference {
  readonly path: string
  /** The model that it refers to. */
  readonly name: string
}

function nestedComposites({ models }: Declared): readonly Reference[] {
  const composites = new Set(models.filter(({ target }) => target.kind === 'composite').map(({ name }) => name))
  return models.flatMap(({ path, target }) =>
    target.kind === 'plain'
      ? []
      : target.components
          .map(({ model }, index) => ({ path: `${path}.components[${index}].model`, name: model }))
          .filter(({ name }) => composites.has(name)),
  )
}

/** At most one redirect is followed, so a second one would not do what it says; the shortest circle is oneself. */
function redirectChains({ models }: Declared): readonly Reference[] {
  const redirecting = new Set(
    models.flatMap(({ name, rules }) => redirectsIn(rules).map(({ purpose }) => `${purpose} ${name}`)),
  )
  return models.flatMap(({ path, rules }) =>
    redirectsIn(rules)
      .filter(({ purpose, model }) => redirecting.has(`${purpose} ${model}`))
      .map(({ purpose, model }) => ({ path: `${path}.rules.${purpose}.model`, name: model })),
  )
}
