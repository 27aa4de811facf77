/**
 * Finds the route of a method and a path. Literal paths are one look-up in a map; paths with
 * parameters are compared segment by segment, literal segments before parameters.
 */
import type { Method, Route } from './route.ts'

export type Match<Caller> =
  | { readonly kind: 'route'; readonly route: Route<Caller>; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'wrong-method'; readonly allowed: readonly Method[]; readonly route: Route<Caller> }
  | { readonly kind: 'none' }

type Methods<Caller> = Map<string, Route<Caller>>

interface Pattern<Caller> {
  readonly segments: readonly string[]
  readonly methods: Methods<Caller>
}

const noParams: Readonly<Record<string, string>> = Object.freeze({})

export class Router<Caller> {
  readonly #literal = new Map<string, Methods<Caller>>()
  readonly #patterns: Pattern<Caller>[] = []
  /** What finds a route at its literal path; the same each time. */
  readonly #found = new Map<Route<Caller> | undefined, Match<Caller>>()

  constructor(routes: Iterable<Route<Caller>>) {
    const methodsByPath = new Map<string, Methods<Caller>>()
    const add = (path: string, route: Route<Caller>): void => {
      let methods = methodsByPath.get(path)
      if (methods === undefined) methodsByPath.set(path, (methods = new Map()))
      if (methods.has(route.method)) throw new Error(`two routes for ${route.method} ${path}`)
      methods.set(route.method, route)
    }
    for (const route of routes) for (const path of [route.path, ...(route.aliases ?? [])]) add(path, route)
    for (const [path, methods] of methodsByPath) {
      if (!/[:*]/.test(path)) this.#literal.set(path, methods)
      else this.#patterns.push({ segments: path.split('/'), methods })
    }
    for (const methods of this.#literal.values())
      for (const route of methods.values()) this.#found.set(route, { kind: 'route', route, params: noParams })
    // More literal segments first, so that /keys/delete is never taken for /keys/:id.
    this.#patterns.sort((a, b) => literalCount(b.segments) - literalCount(a.segments))
  }

  /** Paths without parameters. */
  get literalPaths(): Iterable<string> {
    return this.#literal.keys()
  }

  match(method: string, path: string): Match<Caller> {
    const methods = this.#literal.get(path)
    if (methods !== undefined) return this.#found.get(methods.get(method)) ?? pick(methods, method, noParams)
    const segments = path.split('/')
    for (const pattern of this.#patterns) {
      const params = matchSegments(pattern.segments, segments)
      if (params !== null) return pick(pattern.methods, method, params)
    }
    return { kind: 'none' }
  }
}

function pick<Caller>(
  methods: Methods<Caller>,
  method: string,
  params: Readonly<Record<string, string>>,
): Match<Caller> {
  const route = methods.get(method === 'HEAD' ? 'GET' : method)
  if (route !== undefined) return { kind: 'route', route, params }
  const routes = [...methods.values()]
  const [first] = routes
  if (first === undefined) return { kind: 'none' }
  return { kind: 'wrong-method', allowed: routes.map((each) => each.method), route: first }
}

function literalCount(segments: readonly string[]): number {
  return segments.filter((segment) => !segment.startsWith(':') && !segment.startsWith('*')).length
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    if (part.startsWith('*')) {
      const rest = decode(segments.slice(index).join('/'))
      return rest === null || rest === '' ? null : { ...params, [part.slice(1)]: rest }
    }
    const segment = segments[index]
    if (segment === undefined) return null
    if (part.startsWith(':')) {
      const value = decode(segment)
      if (value === null || value === '') return null
      params[part.slice(1)] = value
    } else if (part !== segment) return null
  }
  return segments.length === pattern.length ? params : null
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
