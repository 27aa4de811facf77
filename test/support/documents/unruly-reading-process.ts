/**
 * A reading process that does whatever harm the name of the file asks for. For tests of the pool: real readers are
 * built not to do these things.
 */
import { dieWithParent } from '#documents/reading/die-with-parent.ts'
import type { Assignment, Message } from '#documents/reading/protocol.ts'

const send = (message: Message): void => {
  process.send?.(message)
}

const answer = { mediaType: 'text/plain', title: null, warnings: [], pages: 0, characters: process.pid, chunks: 0 }
const kept: Uint8Array[] = []

const harms: Readonly<Record<string, () => void>> = {
  loop: () => {
    for (;;) Math.random()
  },
  hang: () => {},
  /** A second of work on many pages. */
  pages: () => {
    send({ kind: 'working', pages: 1000 })
    setImmediate(() => {
      const usedMs = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1000
      const before = usedMs()
      while (usedMs() - before < 1000) for (let step = 0; step < 100_000; step += 1) Math.random()
      send({ kind: 'done', answer })
    })
  },
  /** As on a machine that is busy with other things: a little work now and then. */
  starve: () => {
    let rounds = 0
    const timer = setInterval(() => {
      for (let step = 0; step < 100_000; step += 1) Math.random()
      if ((rounds += 1) < 24) return
      clearInterval(timer)
      send({ kind: 'done', answer })
    }, 100)
  },
  grow: () => {
    for (;;) kept.push(new Uint8Array(16_000_000).fill(1))
  },
  keep: () => {
    kept.push(new Uint8Array(200_000_000).fill(1))
    send({ kind: 'done', answer })
  },
  exit: () => process.exit(7),
  segfault: () => process.kill(process.pid, 'SIGSEGV'),
  killed: () => process.kill(process.pid, 'SIGKILL'),
  terminated: () => process.kill(process.pid, 'SIGTERM'),
  environment: () => send({ kind: 'done', answer: { ...answer, warnings: Object.keys(process.env) } }),
}

dieWithParent()
process.on('message', (assignment: Assignment) => {
  const harm = assignment.name === 'read' ? harms[assignment.work.name] : undefined
  if (harm === undefined) send({ kind: 'done', answer })
  else harm()
})
send({ kind: 'ready' })
