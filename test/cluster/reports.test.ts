/** Reports read much and may take long. What they may take from the other requests of their process: nothing. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { makeCluster, type Cluster, type TestReplica } from '#test/support/app/cluster.ts'
import { until } from '#test/support/until.ts'
import { holdTables } from '#test/support/store/hold-tables.ts'

const serverUrl = process.env['SLUICE_TEST_POSTGRES_URL']
const reason = serverUrl === undefined ? ' (skipped: SLUICE_TEST_POSTGRES_URL is not set)' : ''

/** Longer than any pause of a busy machine, and shorter than a report may take. */
const timeoutSeconds = 4

/** Reports of one user that run or wait. */
const reportsMax = 8

const newCluster = (): Promise<Cluster> => makeCluster(String(serverUrl), timeoutSeconds)

describe.skipIf(serverUrl === undefined)(`many slow reports${reason}`, () => {
  test('of one plain user hold up neither requests nor changes, and those over the limit are 429 at once', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    const two = await cluster.start()
    await using held = await holdTables(cluster.schema, ['usage_records'])
    const reports = Array.from({ length: 40 }, () => report(one, cluster.userKey))
    await until(async () => (await held.waiting()) >= 2)
    const key = await cluster.makeKey(two)
    expect(await one.statusWith(key.secret)).toBe(200)
    await two.admin('DELETE', `/keys/${key.id}`)
    expect(await one.statusWith(key.secret)).toBe(401)

    await held.release()
    const answers = await Promise.all(reports)
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(reportsMax)
    expect(refused).toHaveLength(answers.length - reportsMax)
    for (const { code, retryAfter } of refused) expect([code, retryAfter]).toEqual(['too_many_reports', '1'])
    expect((await report(one, cluster.userKey)).status).toBe(200)
  })

  test('of one user leave connections for the reports of another', async () => {
    await using cluster = await newCluster()
    const one = await cluster.start()
    await using held = await holdTables(cluster.schema, ['usage_records'])
    const ofUser = Array.from({ length: reportsMax }, () => report(one, cluster.userKey))
    await until(async () => (await held.waiting()) >= 2)
    const ofAdministrator = report(one, cluster.adminKey)
    await until(async () => (await held.waiting()) === 3)
    await held.release()
    const answers = await Promise.all([...ofUser, ofAdministrator])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe.skipIf(serverUrl === undefined)(`the connections of a process${reason}`, () => {
  test('are as many as docs/several-processes.md says, and no more, when all that can wait does', async () => {
    await using cluster = await newCluster()
    const [poolMax, reportPoolMax] = [5, 3]
    const name = crypto.randomUUID()
    const one = await cluster.start(`${cluster.schema.url}&application_name=${name}`, [
      `database.pool_max=${poolMax}`,
      `database.report_pool_max=${reportPoolMax}`,
    ])
    const count = async (): Promise<number> => {
      const [row] = await cluster.schema.run(
        `select count(*)::int as count from pg_stat_activity where application_name = '${name}'`,
      )
      return Number(row?.['count'])
    }
    // The documents by state are counted by one process, which leads that task from then on.
    await (await fetch(`${one.url}/metrics`)).text()
    const tables = ['usage_records', 'groups', 'api_keys', 'users', 'providers', 'models']
    await using held = await holdTables(cluster.schema, tables)
    const answers = [
      ...Array.from({ length: 20 }, () => one.admin('GET', '/groups').catch(() => undefined)),
      ...[cluster.userKey, cluster.adminKey].flatMap((key) => [1, 2, 3].map(() => report(one, key))),
    ]
    await cluster.schema.run(`
      with next as (update change_counter set version = version + 1 returning version)
      insert into changes select version, '[{"kind":"directory"},{"kind":"catalog"}]' from next`)
    let most = 0
    await until(async () => {
      most = Math.max(most, await count())
      return most >= poolMax + reportPoolMax + fixedConnections - unused
    })
    await held.release()
    await Promise.all(answers)
    expect(most).toBe(poolMax + reportPoolMax + fixedConnections - unused)
  })

  test('are documented', () => {
    const page = readFileSync(new URL('../../docs/several-processes.md', import.meta.url), 'utf8').replaceAll(
      /\s+/g,
      ' ',
    )
    expect(page).toContain(`\`database.pool_max\` + \`database.report_pool_max\` + ${fixedConnections} connections`)
  })
})

/**
 * The notifications, the changes that are read (3), the log of changes, usage records (2), limits (2), files of documents
 * (2), searches of documents, and leading a task.
 */
const fixedConnections = 13
/** This process has no usage to write, no files and no searches of documents. */
const unused = 5

interface ReportAnswer {
  readonly status: number
  readonly code: string | undefined
  readonly retryAfter: string | null
}

async function report(on: TestReplica, key: string): Promise<ReportAnswer> {
  const answer = await fetch(`${on.url}/admin/api/v1/me/usage`, { headers: { authorization: `Bearer ${key}` } })
  const body = (await answer.json()) as { error?: { code: string } }
  return { status: answer.status, code: body.error?.code, retryAfter: answer.headers.get('retry-after') }
}
