/** `sluice exports …`: files of usage and cost that the server makes on a schedule. */
import { rename } from 'node:fs/promises'
import { CommandFailure, UsageProblem, type Command } from '../command.ts'
import { tableLines } from '../output.ts'
import { dataCommand } from './data-command.ts'

interface ExportOnWire {
  readonly id: string
  readonly period: string
  readonly starts_at: string
  readonly time_zone: string
  readonly version: number
  readonly state: string
  readonly error: string | null
  readonly rows: number | null
  readonly files: readonly { readonly format: string; readonly name: string; readonly url: string }[]
}

const list = dataCommand({
  name: 'exports list',
  summary: 'Show the newest exports of usage.',
  async run(client, { output }) {
    const { data } = (await client.call('GET', '/exports?limit=200')) as { readonly data: readonly ExportOnWire[] }
    const rows = data.map(({ id, period, starts_at: from, version, state, rows: count, error }) => [
      id,
      period,
      from,
      String(version),
      error === null ? state : `${state}: ${error}`,
      count === null ? '-' : String(count),
    ])
    const heads = ['id', 'period', 'from', 'version', 'state', 'rows']
    output.result(data, () =>
      tableLines(heads, rows, 'There are no exports. The setting exports.schedule begins them.'),
    )
    return 0
  },
})

const get = dataCommand({
  name: 'exports get',
  summary: 'Show an export and what its time adds up to now, or write one of its files.',
  positionals: [{ name: 'ID', sentence: 'Of `sluice exports list`.' }],
  flags: {
    format: { type: 'string', placeholder: 'FORMAT', sentence: 'Write the file of this format, csv or parquet.' },
    to: {
      type: 'string',
      placeholder: 'FILE',
      sentence: 'Where to; the name of the export in this directory when left out.',
    },
  },
  async run(client, { positionals: [id = ''], flags, output }) {
    const path = `/exports/${encodeURIComponent(id)}`
    const found = (await client.call('GET', path)) as ExportOnWire
    const format = flags.get('format')
    if (format === undefined) {
      if (flags.has('to')) throw new UsageProblem('Say which file: --format csv or --format parquet.')
      output.result(found, [JSON.stringify(found, null, 2)])
      return 0
    }
    const file = found.files.find((each) => each.format === format)
    if (file === undefined) throw new CommandFailure(`This export has no file of the format "${format}".`)
    const to = flags.get('to') ?? file.name
    // A file that is there under its name is whole.
    const part = `${to}.part`
    await Bun.write(part, await client.request('GET', file.url))
    await rename(part, to)
    output.result({ file: to }, [`Wrote ${to}.`])
    return 0
  },
})

const restate = dataCommand({
  name: 'exports restate',
  summary: 'Export the same time again, as the next version.',
  details: 'After prices were recomputed, or when records came late. The earlier files stay.',
  positionals: [{ name: 'ID', sentence: 'Of `sluice exports list`.' }],
  async run(client, { positionals: [id = ''], output }) {
    const next = (await client.call('POST', `/exports/${encodeURIComponent(id)}/restate`)) as ExportOnWire
    output.result(next, [`Version ${next.version} will be there in a moment: sluice exports get ${next.id}`])
    return 0
  },
})

export const exportCommands: readonly Command[] = [list, get, restate]
