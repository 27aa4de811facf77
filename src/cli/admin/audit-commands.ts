/** `sluice audit …`: the audit log, as a table or as lines of JSON, and the proof that no row was changed. */
import type { Command, GivenFlags } from '../command.ts'
import { tableLines } from '../output.ts'
import type { AdminClient } from './admin-client.ts'
import { dataCommand } from './data-command.ts'

interface AuditRowOnWire {
  readonly seq: number
  readonly at: string
  readonly action: string
  readonly outcome: string
  readonly actor: string
  readonly record: string
}

interface AuditPageOnWire {
  readonly data: readonly AuditRowOnWire[]
  readonly next_cursor: string | null
}

interface AuditProofOnWire {
  readonly broken_at: number | null
  readonly checked: number
  readonly seq: number
  readonly hash: string
}

const filters = {
  actor: { type: 'string', placeholder: 'EMAIL', sentence: 'Only what this person did.' },
  action: {
    type: 'string',
    placeholder: 'ACTION',
    sentence: 'Only this, for example "sign-in" or "PATCH /users/:id".',
  },
  record: {
    type: 'string',
    placeholder: 'PATH',
    sentence: 'Only changes of this record, for example "/users/" and an id.',
  },
  outcome: { type: 'string', placeholder: 'OUTCOME', sentence: 'Begun, done, refused or failed.' },
  since: { type: 'string', placeholder: 'TIME', sentence: 'From this time on, for example 2026-01-31T12:00:00Z.' },
  until: { type: 'string', placeholder: 'TIME', sentence: 'Before this time.' },
} as const satisfies Command['flags']

const pageSize = '200'

const list = dataCommand({
  name: 'audit list',
  summary: 'Show the newest rows of the audit log.',
  flags: filters,
  async run(client, { flags, output }) {
    const { data } = await pageOf(client, flags, null)
    const rows = data.map(({ seq, at, actor, action, record, outcome }) => [
      String(seq),
      at,
      actor,
      action,
      record || '-',
      outcome,
    ])
    const heads = ['number', 'time', 'person', 'action', 'record', 'outcome']
    output.result(data, () => tableLines(heads, rows, 'There are no such rows.'))
    return 0
  },
})

const exportRows = dataCommand({
  name: 'audit export',
  summary: 'Print all rows of the audit log, the newest first, one JSON object a line.',
  flags: filters,
  async run(client, { flags, output }) {
    let cursor: string | null = null
    do {
      const page: AuditPageOnWire = await pageOf(client, flags, cursor)
      for (const row of page.data) output.result(row, [JSON.stringify(row)])
      cursor = page.next_cursor
    } while (cursor !== null)
    return 0
  },
})

const verify = dataCommand({
  name: 'audit verify',
  summary: 'Recompute the hashes of the audit log and name the first broken row.',
  details: 'Keep the printed hash elsewhere: the same row with another hash later means that the log was rewritten.',
  async run(client, { output }) {
    const proof = (await client.call('GET', '/audit-proof')) as AuditProofOnWire
    const { broken_at: brokenAt, checked, seq, hash } = proof
    const verdict =
      brokenAt === null ? `${checked} rows are as they were written.` : `The log is broken at row ${brokenAt}.`
    output.result(proof, [verdict, `Row ${seq} has the hash ${hash || '-'}.`])
    return brokenAt === null ? 0 : 1
  },
})

export const auditCommands: readonly Command[] = [list, exportRows, verify]

async function pageOf(client: AdminClient, flags: GivenFlags, cursor: string | null): Promise<AuditPageOnWire> {
  const query = new URLSearchParams({ limit: pageSize, ...(cursor !== null && { cursor }) })
  for (const name of Object.keys(filters)) {
    const value = flags.get(name)
    if (value !== undefined) query.set(name, value)
  }
  return (await client.call('GET', `/audit?${query.toString()}`)) as AuditPageOnWire
}
