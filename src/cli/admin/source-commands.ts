/** `sluice sources …`: buckets, WebDAV folders, Git repositories and sites that the server keeps documents in step with. */
import { UsageProblem, type Command } from '../command.ts'
import { tableLines } from '../output.ts'
import { dataCommand, userByEmail } from './data-command.ts'

interface SourceOnWire {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly url: string
  readonly enabled: boolean
  readonly running_since: string | null
  readonly next_run_at: string
  readonly last_run: {
    readonly outcome: string
    readonly ended_at: string
    readonly imported: number
    readonly deleted: number
    readonly failed: number
    readonly errors: readonly string[]
  } | null
}

const id = { name: 'ID', sentence: 'The id of the source, from sluice sources list.' } as const
const pathOf = (given: string): string => `/sources/${encodeURIComponent(given)}`
const flag = (placeholder: string, sentence: string) => ({ type: 'string', placeholder, sentence }) as const

const list = dataCommand({
  name: 'sources list',
  summary: 'List the sources of documents, and how their last runs ended.',
  async run(client, { output }) {
    const { data } = (await client.call('GET', '/sources')) as { readonly data: readonly SourceOnWire[] }
    const rows = data.map((source) => [source.name, source.kind, stateOf(source), ...countsOf(source), source.id])
    const heads = ['name', 'kind', 'state', 'imported', 'deleted', 'failed', 'id']
    output.result(data, () => tableLines(heads, rows, 'There are no sources.'))
    const errors = data.flatMap(({ name, last_run: last }) => (last?.errors ?? []).map((error) => `${name}: ${error}`))
    for (const error of errors) output.remark(error)
    return 0
  },
})

const add = dataCommand({
  name: 'sources add',
  summary: 'Keep documents in step with a bucket, a WebDAV folder, a Git repository, or a site.',
  details:
    'For example: sluice sources add handbooks --kind s3 --address https://s3.example.org/bucket/handbooks/ --user ada@example.org. A credential is read from standard input with --credential-stdin.',
  positionals: [{ name: 'NAME', sentence: 'What people call it.' }],
  flags: {
    kind: flag('KIND', 'One of s3, webdav, git and sitemap, which takes a single page, too.'),
    address: flag('URL', 'Where it is.'),
    user: flag('EMAIL', 'Whose the documents are; runs have the rights of this user.'),
    category: flag('NAME', 'Category of the documents; "default" when left out.'),
    owner: { ...flag('OWNER', 'Who may see them: an e-mail address, group:NAME or everyone.'), repeatable: true },
    every: flag('MINUTES', 'Between two runs; 60 when left out.'),
    region: flag('REGION', 'Of s3; us-east-1 when left out.'),
    branch: flag('NAME', 'Of git; that of HEAD when left out.'),
    path: flag('FOLDER', 'Of git: only files below this folder.'),
    ignore: { ...flag('GLOB', 'Leave out files like this.'), repeatable: true },
    'credential-stdin': {
      type: 'boolean',
      sentence: 'Read "key id:secret", "user:password" or "user:token" from standard input.',
    },
  },
  async run(client, { positionals: [name], flags, output }) {
    const email = flags.get('user')
    if (email === undefined) throw new UsageProblem('Say whose the documents are: --user EMAIL.')
    const credential = flags.has('credential-stdin') ? (await Bun.stdin.text()).trim() : null
    const every = flags.get('every')
    const owners = flags.all('owner')
    const source = await client.call('POST', '/sources', {
      name,
      kind: flags.get('kind'),
      url: flags.get('address'),
      user_id: (await userByEmail(client, email)).id,
      credential,
      category: flags.get('category') ?? 'default',
      region: flags.get('region') ?? null,
      branch: flags.get('branch') ?? null,
      path: flags.get('path') ?? null,
      ignore: flags.all('ignore'),
      ...(owners.length > 0 && { owners }),
      ...(every !== undefined && { every_minutes: Number(every) }),
    })
    output.result(source, [`Added the source ${(source as SourceOnWire).id}. Its first run begins.`])
    return 0
  },
})

const dryRun = dataCommand({
  name: 'sources dry-run',
  summary: 'Print what a run of a source would do now.',
  positionals: [id],
  async run(client, { positionals: [given = ''], output }) {
    const planned = (await client.call('POST', `${pathOf(given)}/dry-run`)) as {
      readonly total: number
      readonly data: readonly { readonly change: string; readonly file: string }[]
    }
    const lines = planned.data.map(({ change, file }) => `${change.padEnd(8)} ${JSON.stringify(file)}`)
    output.result(planned, [...lines, `${planned.total} to do`])
    return 0
  },
})

const run = dataCommand({
  name: 'sources run',
  summary: 'Look at a source now.',
  positionals: [id],
  async run(client, { positionals: [given = ''], output }) {
    output.result(await client.call('POST', `${pathOf(given)}/run`), ['It is looked at next: sluice sources list'])
    return 0
  },
})

const remove = dataCommand({
  name: 'sources remove',
  summary: 'Remove a source; its documents stay with their user.',
  positionals: [id],
  async run(client, { positionals: [given = ''], output }) {
    await client.call('DELETE', pathOf(given))
    output.result({ removed: given }, ['Removed the source.'])
    return 0
  },
})

export const sourceCommands: readonly Command[] = [list, add, dryRun, run, remove]

function stateOf({ enabled, running_since: since, last_run: last }: SourceOnWire): string {
  if (!enabled) return 'off'
  if (since !== null) return `running since ${since}`
  return last === null ? 'waiting' : `${last.outcome} ${last.ended_at}`
}

function countsOf({ last_run: last }: SourceOnWire): readonly string[] {
  return last === null ? ['-', '-', '-'] : [last.imported, last.deleted, last.failed].map(String)
}
