/**
 * The in-flight limit under chaos, for minutes: three processes, Valkey killed and restarted every few seconds,
 * processes killed with -9 and started. Ends with 1 when the provider has ever seen more in flight than the limit.
 *
 *   SLUICE_TEST_POSTGRES_URL=… bun bench/chaos.ts [minutes] [clients] [valkey|postgres]
 */
import { inflightArena } from '#test/support/limits/inflight-arena.ts'

const limit = 50
const [minutes = '10', clients = '500', shared = 'valkey'] = process.argv.slice(2)
if (shared !== 'valkey' && shared !== 'postgres') throw new Error('The third argument is valkey or postgres.')

/** Mean use of the limit, sampled every 10 ms. */
class Utilisation {
  #sum = 0
  #samples = 0

  add(inFlight: number): void {
    this.#sum += inFlight / limit
    this.#samples += 1
  }

  get percent(): string {
    return this.#samples === 0 ? '-' : ((100 * this.#sum) / this.#samples).toFixed(1)
  }
}

const { arena, seen } = await inflightArena({
  postgresUrl: String(process.env['SLUICE_TEST_POSTGRES_URL']),
  shared,
  limit,
  holdMs: () => 200 + Math.random() * 800,
})
await using _ = arena
for (let count = 0; count < 3; count += 1) await arena.startProcess()
arena.load(Number(clients))
const [up, down, recovering] = [new Utilisation(), new Utilisation(), new Utilisation()]
const kills = { valkey: 0, processes: 0 }
/** A killed process counts as gone after 5 s without a heartbeat, and what it owned returns soon after. */
const recoveryMs = 8000

/** Samples for so long. */
async function sample(into: Utilisation, ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    into.add(seen.inFlight)
    await Bun.sleep(10)
  }
}

await sample(new Utilisation(), 3000)
for (const end = Date.now() + Number(minutes) * 60_000; Date.now() < end;) {
  await sample(up, 2000 + Math.random() * 4000)
  if (shared === 'valkey') {
    await arena.killValkey()
    kills.valkey += 1
    await sample(down, 1000 + Math.random() * 3000)
    await arena.startValkey()
  }
  if (Math.random() < 0.3) {
    const victim = arena.processes[Math.floor(Math.random() * arena.processes.length)]
    if (victim !== undefined) await arena.endProcess(victim)
    kills.processes += 1
    const starting = arena.startProcess()
    await sample(recovering, recoveryMs)
    await starting
  }
}
const { most, answered } = seen
console.log(`limit ${limit}, ${clients} clients, by ${shared}: most in flight ${most}, ${answered} answered`)
console.log(`used while Valkey is up ${up.percent} %, while it is down ${down.percent} %`)
console.log(`used in the ${recoveryMs / 1000} s after a process was killed ${recovering.percent} %`)
console.log(`killed: Valkey ${kills.valkey} times, processes ${kills.processes} times`)
console.log(`answers: ${[...arena.statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`)
process.exitCode = most > limit ? 1 : 0
