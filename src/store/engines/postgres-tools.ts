/**
 * PostgreSQL's own programs for a copy of a database: pg_dump and pg_restore. They need to be in PATH, and as new as the
 * server. The password goes by the environment, since other users can see a program's arguments.
 */

/** The program is missing or failed; the message is its own first sentence. */
export class ToolFailed extends Error {}

interface DumpOptions {
  readonly url: string
  readonly schema: string
  /** Named by pg_export_snapshot(): the dump shows the database as that transaction sees it. */
  readonly snapshot: string
  readonly file: string
}

/** Writes all of one schema to a file. */
export function dump({ url, schema, snapshot, file }: DumpOptions): Promise<void> {
  const shape = ['--format=custom', '--no-owner', '--no-privileges', `--schema=${schema}`]
  return runTool('pg_dump', url, [...shape, `--snapshot=${snapshot}`, `--file=${file}`])
}

/** Brings what was dumped of a schema back, all or nothing. */
export function restore(url: string, schema: string, file: string): Promise<void> {
  const shape = ['--no-owner', '--no-privileges', '--single-transaction', '--exit-on-error', `--schema=${schema}`]
  return runTool('pg_restore', url, [...shape, file])
}

async function runTool(name: string, url: string, args: readonly string[]): Promise<void> {
  const program = Bun.which(name)
  if (program === null) throw new ToolFailed(`${name} is not in PATH. Install the client programs of PostgreSQL.`)
  const target = new URL(url)
  const password = decodeURIComponent(target.password)
  target.password = ''
  const child = Bun.spawn([program, `--dbname=${target.href.replaceAll('+', '%20')}`, ...args], {
    env: { LC_ALL: 'C', ...(password !== '' && { PGPASSWORD: password }) },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await child.stderr.text()
  if ((await child.exited) !== 0) throw new ToolFailed(said.split('\n', 1)[0] || `${name} failed.`)
}
