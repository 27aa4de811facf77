/**
 * Chooses which upstream of a model serves a request. A strategy is a function that chooses one of
 * the available upstreams; ejected ones are left out before.
 */
import type { Model } from '#catalog/catalog.ts'
import type { Strategy } from '#catalog/records.ts'
import type { Upstream } from '#catalog/upstream.ts'
import type { Prefix, PrefixAffinity } from './affinity.ts'
import type { UpstreamHealth } from './upstream-health.ts'

type Choose = (upstreams: readonly Upstream[], health: UpstreamHealth, random: () => number) => Upstream

const strategies: Readonly<Record<Exclude<Strategy, 'affinity'>, Choose>> = {
  weighted: leastLoaded,
  priority: (upstreams, health, random) => {
    const first = Math.min(...upstreams.map((upstream) => upstream.priority))
    return leastLoaded(
      upstreams.filter((upstream) => upstream.priority === first),
      health,
      random,
    )
  },
  latency: fasterOfTwo,
}

export interface SelectionDeps {
  readonly health: UpstreamHealth
  readonly affinity: PrefixAffinity
  readonly random?: () => number
}

/**
 * The upstream for the next attempt, or null when the model has none that was not tried. When all
 * untried ones are ejected, the one that is due soonest: a doubtful attempt is better than none.
 */
export function selectUpstream(
  model: Model,
  tried: ReadonlySet<Upstream>,
  { health, affinity, random = Math.random }: SelectionDeps,
  prefix: Prefix | null = null,
): Upstream | null {
  const { upstreams, strategy } = model
  const [only] = upstreams
  if (only === undefined || upstreams.length === 1) return only ?? null
  const untried = upstreams.filter((upstream) => !tried.has(upstream))
  const available = untried.filter((upstream) => health.isAvailable(upstream.id))
  if (available.length > 0) {
    if (strategy !== 'affinity') return strategies[strategy](available, health, random)
    const leastOf = (some: readonly Upstream[]): Upstream => leastLoaded(some, health, random)
    if (prefix === null) return leastOf(available)
    return affinity.choose(model.record.id, available, prefix, { health, leastLoaded: leastOf })
  }
  return untried.toSorted((a, b) => health.retryInMs(a.id) - health.retryInMs(b.id))[0] ?? null
}

/** Fewest requests to do for its weight; among equals at random by weight. */
function leastLoaded(upstreams: readonly Upstream[], health: UpstreamHealth, random: () => number): Upstream {
  let least = Infinity
  let best: Upstream[] = []
  for (const upstream of upstreams) {
    const load = health.load(upstream.id) / upstream.weight
    if (load < least) {
      least = load
      best = [upstream]
    } else if (load === least) best.push(upstream)
  }
  return byWeight(best, random)
}

/**
 * The better of two at random by smoothed time to first byte times load. Two are enough to avoid
 * the worst without sending all requests to the best. (M. Mitzenmacher, "The Power of Two Choices in
 * Randomized Load Balancing", 2001.)
 */
function fasterOfTwo(upstreams: readonly Upstream[], health: UpstreamHealth, random: () => number): Upstream {
  const one = byWeight(upstreams, random)
  const others = upstreams.filter((upstream) => upstream !== one)
  if (others.length === 0) return one
  const other = byWeight(others, random)
  const cost = ({ id }: Upstream) => health.firstByteMs(id) * (health.load(id) + 1)
  return cost(other) < cost(one) ? other : one
}

function firstOf(upstreams: readonly Upstream[]): Upstream {
  const [first] = upstreams
  if (first === undefined) throw new Error('a strategy got no upstream to choose from')
  return first
}

/** One of the upstreams with a chance in proportion to its weight. There is at least one. */
function byWeight(upstreams: readonly Upstream[], random: () => number): Upstream {
  let total = 0
  for (const upstream of upstreams) total += upstream.weight
  let at = random() * total
  return upstreams.find((upstream) => (at -= upstream.weight) < 0) ?? firstOf(upstreams)
}
