/** The strongly connected components of a graph: states that can reach each other. */

export interface Components {
  /** Number of each state's component. */
  readonly of: readonly number[]
  /** States of each component. */
  readonly members: readonly (readonly number[])[]
  /** Whether a way leads from a state of the component back to that state. */
  readonly isLoop: readonly boolean[]
}

/** Linear in the edges, and without recursion. Source: Tarjan, SIAM Journal on Computing 1(2), 1972. */
export function componentsOf(next: readonly ReadonlySet<number>[]): Components {
  const of = next.map(() => -1)
  const members: number[][] = []
  const isLoop: boolean[] = []
  const order = next.map(() => -1)
  const low = next.map(() => -1)
  const open: number[] = []
  let visited = 0
  for (const root of next.keys()) {
    if (order[root] !== -1) continue
    const path = [visit(root)]
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const { done, value } = step.rest.next()
      if (done === true) {
        path.pop()
        leave(step.state, path.at(-1)?.state)
      } else if (order[value] === -1) path.push(visit(value))
      else if (of[value] === -1) low[step.state] = Math.min(low[step.state] ?? 0, order[value] ?? 0)
    }
  }
  return { of, members, isLoop }

  function visit(state: number) {
    order[state] = low[state] = visited
    visited += 1
    open.push(state)
    return { state, rest: (next[state] ?? new Set<number>()).values() }
  }

  function leave(state: number, above: number | undefined): void {
    if (above !== undefined) low[above] = Math.min(low[above] ?? 0, low[state] ?? 0)
    if (low[state] === order[state]) close(state)
  }

  /** All that are still open above a state belong to its component. */
  function close(state: number): void {
    const closed = open.splice(open.lastIndexOf(state))
    for (const member of closed) of[member] = members.length
    members.push(closed)
    isLoop.push(closed.length > 1 || next[state]?.has(state) === true)
  }
}
