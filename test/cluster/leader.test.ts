/** One process does what has to be done once; when it goes, however it goes, another one does. */
import { describe, expect, test } from 'bun:test'
import { sealer } from '#lib/seal.ts'
import { createLogger } from '#observe/log.ts'
import { Leader } from '#replica/leader.ts'
import { openStore } from '#store/store.ts'
import { systemClock } from '#lib/clock.ts'
import { openDatabaseLine, type DatabaseLine } from '#test/support/network/database-line.ts'
import { makePostgresSchema } from '#test/support/store/postgres-schema.ts'
import { until } from '#test/support/until.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''
const silenceMaxMs = 1200
const logger = createLogger({ level: 'silent', format: 'json', clock: systemClock, write: () => undefined })

interface Leaders extends AsyncDisposable {
  readonly leaders: readonly Leader[]
  /** Those that say that they lead the task. */
  leading(task: string): Promise<readonly number[]>
}

async function openLeaders(count: number, line?: DatabaseLine): Promise<Leaders> {
  await using opening = new AsyncDisposableStack()
  const schema = await makePostgresSchema(String(serverUrl))
  opening.defer(() => schema.drop())
  const leaders: Leader[] = []
  for (let index = 0; index < count; index += 1) {
    const store = await openStore({ url: schema.url, sealer: sealer(new Uint8Array(32)) })
    opening.defer(() => store.close())
    const through = index === 0 && line !== undefined ? await openThrough(line.to(schema), opening) : store.leaderLocks
    leaders.push(opening.use(new Leader({ locks: through, logger, silenceMaxMs })))
  }
  const resources = opening.move()
  return {
    leaders,
    async leading(task) {
      const answers = await Promise.all(leaders.map((leader) => leader.leads(task)))
      return answers.flatMap((leads, index) => (leads ? [index] : []))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function openThrough(url: string, opening: AsyncDisposableStack) {
  const store = await openStore({ url, sealer: sealer(new Uint8Array(32)) })
  opening.defer(() => store.close())
  return store.leaderLocks
}

/** Resolves when the leader has begun to work on the task; what it returns resolves when it is told to stop. */
async function beginWork(leader: Leader, task: string): Promise<{ readonly working: Promise<boolean> }> {
  const begun = Promise.withResolvers<void>()
  const working = leader.run(task, (signal) => {
    begun.resolve()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  })
  await begun.promise
  return { working }
}

describe.skipIf(serverUrl === undefined)(`the leader of a task${reason}`, () => {
  test.each([1, 2, 5])('is one of %i processes that ask at once, and stays it', async (count) => {
    await using opened = await openLeaders(count)
    const tasks = ['one', 'two', 'three']
    const first = await Promise.all(tasks.map((task) => opened.leading(task)))
    expect(first.map(({ length }) => length)).toEqual([1, 1, 1])
    for (let round = 0; round < 5; round += 1) {
      expect(await Promise.all(tasks.map((task) => opened.leading(task)))).toEqual(first)
    }
  })

  test('is another one as soon as it stops, until the last has stopped', async () => {
    await using opened = await openLeaders(4)
    const seen = new Set<number>()
    for (let left = 4; left > 0; left -= 1) {
      await until(async () => (await opened.leading('task')).length === 1)
      const [leader] = await opened.leading('task')
      seen.add(leader!)
      await opened.leaders[leader!]![Symbol.asyncDispose]()
    }
    expect([seen.size, await opened.leading('task')]).toEqual([4, []])
  })

  test('is another one after its connection broke, and its work is told so', async () => {
    await using line = await openDatabaseLine(String(serverUrl))
    await using opened = await openLeaders(2, line)
    const [first, second] = opened.leaders
    const { working } = await beginWork(first!, 'task')
    line.breakAll()
    expect(await working).toBe(true)
    await until(() => second!.leads('task'))
    expect(await opened.leading('task')).toEqual([1])
  })

  test('is another one when it falls silent, though its connection stays open', async () => {
    await using line = await openDatabaseLine(String(serverUrl))
    await using opened = await openLeaders(2, line)
    const [first, second] = opened.leaders
    const { working } = await beginWork(first!, 'task')
    line.silence()
    await until(() => second!.leads('task'))
    expect(await working).toBe(true)
    line.restore()
    expect(await opened.leading('task')).toEqual([1])
  })

  test('does the work alone, and the others hear that they do not', async () => {
    await using opened = await openLeaders(3)
    let runs = 0
    const work = async (): Promise<void> => void (runs += 1)
    for (let round = 1; round <= 5; round += 1) {
      const did = await Promise.all(opened.leaders.map((leader) => leader.run('task', work)))
      expect([did.filter(Boolean).length, runs]).toEqual([1, round])
    }
  })
})

test('the only process leads everything until it stops', async () => {
  const leader = new Leader({ locks: null, logger })
  expect([await leader.leads('one'), await leader.run('two', async () => undefined)]).toEqual([true, true])
  await leader[Symbol.asyncDispose]()
  expect([await leader.leads('one'), await leader.run('two', async () => undefined)]).toEqual([false, false])
})
