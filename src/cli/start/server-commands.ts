/**
 * The commands for the machine that the server runs on. What they need, which is nearly everything, is loaded only when
 * one of them is run: that takes much longer than any other command does.
 */
import type { Command, ExitCode, Invocation } from '../command.ts'

export const startCommand: Command = {
  name: 'start',
  summary: 'Start the server. The first start prints an administrator and an API key.',
  details: 'SIGTERM and SIGINT let running requests finish; a second one ends them.',
  flags: {
    port: { type: 'string', placeholder: 'N', sentence: 'Port to listen on: the setting server.port.' },
    host: { type: 'string', placeholder: 'ADDRESS', sentence: 'Address to listen on: the setting server.host.' },
    'forget-credentials': {
      type: 'boolean',
      sentence: 'Clear the stored credentials that no secret key at hand opens, when that key is lost.',
    },
  },
  run: loaded(() => import('./start.ts')),
}

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Change the schema of the database to that of this version; servers keep running.',
  details:
    'The start of a server does the same. Steps that the servers of an older version could not bear wait until none runs; a server of this version does them then.',
  flags: {
    plan: { type: 'boolean', sentence: 'List the steps that the database has not had, and change nothing.' },
    check: { type: 'boolean', sentence: 'The same, and exit with 1 when there is one.' },
  },
  run: loaded(() => import('./migrate.ts')),
}

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Copy everything to an empty directory or bucket; the server may keep running.',
  details:
    'The copy holds the database, the files of documents and the secret key. PostgreSQL is copied by pg_dump. s3://BUCKET/PREFIX is in the S3 store of the settings, or where the AWS variables of the environment point.',
  positionals: [{ name: 'PLACE', sentence: 'A directory, or s3://BUCKET/PREFIX; must be empty.' }],
  flags: {
    'without-secret-key': {
      type: 'boolean',
      sentence: 'Leave the secret key out; then keep it yourself, since without it the credentials cannot be opened.',
    },
  },
  run: loaded(() => import('./backup.ts')),
}

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Bring a backup back where there is no database yet, and check it.',
  details:
    'It goes to the data directory, the database and the S3 store that the settings name. Then start the server.',
  positionals: [{ name: 'PLACE', sentence: 'A directory, or s3://BUCKET/PREFIX, that "sluice backup" has written.' }],
  flags: { check: { type: 'boolean', sentence: 'Only read the backup and check it; write nothing.' } },
  run: loaded(() => import('./restore.ts')),
}

function loaded(load: () => Promise<{ readonly run: Command['run'] }>): Command['run'] {
  return async (invocation: Invocation): Promise<ExitCode> => (await load()).run(invocation)
}
