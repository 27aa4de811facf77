/**
 * Background work on the health of upstreams: probes of those that are ejected, and what other processes have found out.
 * That warns this one. It does not decide for it: the way to the upstream may be broken on one machine only.
 */
import type { Clock } from '#lib/clock.ts'
import type { Gateway } from './gateway.ts'
import { readStatus } from './process-status.ts'
import { readingLoads } from './upstreams/read-loads.ts'
import { probing, type ProbeDeps } from './upstreams/probe-upstreams.ts'
import type { UpstreamStatus } from './upstreams/upstream-health.ts'

/** The other processes. */
export interface Peers {
  /** Null when there can be none. */
  readonly registration: object | null
  /** What they have last said about themselves. */
  peers(): Promise<readonly { readonly status: string }[]>
}

/** What is done each second, by name. */
export function healthWork(
  deps: ProbeDeps & Pick<Gateway, 'live'>,
  feed: Peers,
  clock: Clock,
): readonly (readonly [what: string, work: () => Promise<void>])[] {
  const own = [
    ['probing providers', probing(deps, clock)],
    ['reading the load of servers', readingLoads(deps, clock)],
  ] as const
  return feed.registration === null ? own : [...own, ['hearing of other processes', followPeers(feed, deps)]]
}

/**
 * What is watched at another process is told to it from now on. An upstream that another process has ejected is ejected here by one failure; when it answers there
 * again, it is asked here again, too.
 */
function followPeers(
  feed: Pick<Peers, 'peers'>,
  { health, live }: Pick<Gateway, 'health' | 'live'>,
): () => Promise<void> {
  let troubled: ReadonlySet<string> = new Set()
  return async () => {
    const peers = await feed.peers().catch(() => [])
    const statuses = peers.map(({ status }) => readStatus(status))
    live.heard(statuses.some(({ viewers }) => viewers > 0))
    const found = statuses.flatMap(({ upstreams }) => Object.entries(upstreams))
    const idsThatAre = (state: UpstreamStatus['state']): readonly string[] =>
      found.filter(([, each]) => each.state === state).map(([id]) => id)
    const before = troubled
    // After its ejection an upstream is failing until it has answered.
    troubled = new Set([...idsThatAre('out'), ...idsThatAre('failing').filter((id) => before.has(id))])
    health.suspect(troubled)
    for (const id of idsThatAre('healthy')) if (before.has(id) && !troubled.has(id)) health.endEjection(id)
  }
}
