/**
 * A hard budget under chaos, for minutes: three processes on PostgreSQL and Valkey, processes killed with -9, stopped and
 * started, Valkey killed, prices and answers of random size. A budget is used up and another begins, in a database of its
 * own. Ends with 1 when more was spent than a budget allows, or a record or a counter is not what the bill says.
 *
 *   SLUICE_TEST_POSTGRES_URL=… bun bench/chaos-budgets.ts [minutes] [clients]
 */
import { formatMoney } from '#pricing/nano.ts'
import { budgetArena, type BudgetArena } from '#test/support/budgets/budget-arena.ts'

const [minutes = '4', clients = '300'] = process.argv.slice(2)
const postgresUrl = String(process.env['SLUICE_TEST_POSTGRES_URL'])
const kills = { killed: 0, stopped: 0, valkey: 0 }
const statuses = new Map<string, number>()
let failures = 0

let rounds = 0
for (const end = Date.now() + Number(minutes) * 60_000; Date.now() < end; rounds += 1) await round()
console.log(`${rounds} budgets, ${clients} clients; by status: ${JSON.stringify(Object.fromEntries(statuses))}`)
console.log(`killed: processes ${kills.killed} times, Valkey ${kills.valkey} times; stopped: ${kills.stopped} times`)
process.exitCode = failures === 0 ? 0 : 1

/** From a new budget to its last unit. */
async function round(): Promise<void> {
  const amount = 4_000_000 + Math.floor(Math.random() * 8_000_000)
  const market = await budgetArena({ postgresUrl, shared: 'valkey', amount })
  const { arena, bill, counter, audit } = market
  await using _ = arena
  for (let count = 0; count < 3; count += 1) await arena.startProcess()
  arena.load(Number(clients))
  let lastSpent = 0
  const since = { spent: 0, chaos: performance.now() }
  // No process serves any more what is left: what killed ones held is reconciled after this.
  while (performance.now() - since.chaos < 60_000 && bill.total < amount * 0.9) {
    await Bun.sleep(1000 + Math.random() * 3000)
    await strike(market)
    lastSpent = bill.total
  }
  while (arena.processes.length < 3) await arena.startProcess()
  const released = await release(market)
  for (let quiet = 0; quiet < 3;) {
    await Bun.sleep(2000)
    quiet = bill.total === lastSpent ? quiet + 1 : 0
    lastSpent = bill.total
  }
  const verified = await arena.command<{ difference: number }>(arena.processes[0]!, ['budgets', 'verify'])
  while (arena.processes.length > 0) await arena.endProcess(arena.processes[0]!, 'SIGTERM')
  const [state] = await arena.store.budgets.counters([counter])
  const { spent, held } = { spent: 0, held: 0, ...state }
  const { recorded, beyondBill, missing, wrong } = await audit()
  const ends = {
    over: Math.max(0, spent + held - amount),
    difference: verified.difference + Math.abs(recorded - spent),
  }
  for (const [status, count] of arena.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count)
  if (ends.over > 0 || bill.total > amount || ends.difference > 0 || missing.length + wrong.length > 0) failures += 1
  console.log(
    `budget ${formatMoney(amount)}: spent ${formatMoney(spent)} (${percent(spent, amount)}), billed ${formatMoney(bill.total)} for ${bill.requests.size} requests, over ${ends.over}, difference ${ends.difference}, without a record ${missing.length}, wrong ${wrong.length}; of requests whose end was not seen ${formatMoney(beyondBill)} more than billed; ${formatMoney(released)} reconciled`,
  )
  for (const line of wrong.slice(0, 5)) console.log(`  ${line}`)
}

/** Kills a process or Valkey, or stops a process; what is gone is started soon after. */
async function strike({ arena }: BudgetArena): Promise<void> {
  const victim = arena.processes[Math.floor(Math.random() * arena.processes.length)]
  const chance = Math.random()
  if (chance < 0.2) {
    await arena.killValkey()
    kills.valkey += 1
    await Bun.sleep(Math.random() * 2000)
    return arena.startValkey()
  }
  if (victim === undefined) return
  const isKill = chance < 0.85
  await arena.endProcess(victim, isKill ? 'SIGKILL' : 'SIGTERM')
  kills[isKill ? 'killed' : 'stopped'] += 1
  await Bun.sleep(Math.random() * 2000)
  await arena.startProcess()
}

/** What killed processes held is made free as soon as they count as gone. */
async function release({ arena, budgetId, counter }: BudgetArena): Promise<number> {
  let released = 0
  const heldByDead = async (): Promise<boolean> => {
    const answer = await arena.command<{ released: number }>(arena.processes[0]!, ['budgets', 'reconcile', budgetId])
    released += answer.released
    const [state] = await arena.store.budgets.counters([counter])
    return (state?.unreconciled ?? 0) > 0
  }
  // A holder counts as gone a minute after it was last heard of.
  for (const end = performance.now() + 65_000; performance.now() < end; await Bun.sleep(5000)) await heldByDead()
  return released
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(2)} %`
}
