/**
 * Brings a database to the schema of this code, at every start, while processes of the version before go on serving.
 * Any number of processes may start at once: the first migrates, the others wait and find it done. A process that is
 * killed leaves what it had finished; the next one goes on from there.
 */
import type { Kysely } from 'kysely'
import type { Database } from './database.ts'
import { knownSchema, type Contract, type Migration } from './migrating/migration.ts'
import { underMigrationLock } from './migrating/migration-lock.ts'
import { olderProcesses, runMigration, type Outcome, type RunOptions } from './migrating/run-migration.ts'
import { prepareSchemaState, readSchemaState, StoreTooNew, type SchemaState } from './migrating/schema-state.ts'
import type { Tables } from './schema.ts'
import { initial } from './migrations/0001-initial.ts'
import { replicas } from './migrations/0002-replicas.ts'
import { documents } from './migrations/0003-documents.ts'
import { responses } from './migrations/0004-responses.ts'
import { oidc } from './migrations/0005-oidc.ts'
import { sharing } from './migrations/0006-sharing.ts'
import { documentPlaces } from './migrations/0007-document-places.ts'
import { checkUsagePast, usageColumns, usageIndexes } from './migrations/0008-usage-columns.ts'
import { limits } from './migrations/0009-limits.ts'
import { keptResponses } from './migrations/0010-kept-responses.ts'
import { schemaRange } from './migrations/0011-schema-range.ts'
import { money } from './migrations/0013-money.ts'
import { usageScale } from './migrations/0014-usage-scale.ts'
import { caps } from './migrations/0015-caps.ts'
import { batches } from './migrations/0016-batches.ts'
import { webhooks } from './migrations/0017-webhooks.ts'
import { temporaryPasswords } from './migrations/0020-temporary-passwords.ts'
import { replicaProcess } from './migrations/0022-replica-process.ts'
import { uploads } from './migrations/0023-uploads.ts'
import { requestPage } from './migrations/0024-request-page.ts'
import { usageMargins } from './migrations/0026-usage-margins.ts'
import { audit } from './migrations/0029-audit.ts'
import { nativeBatches } from './migrations/0032-native-batches.ts'
import { serviceAccounts } from './migrations/0034-service-accounts.ts'
import { servers } from './migrations/0037-servers.ts'
import { keyRotation } from './migrations/0038-key-rotation.ts'
import { contentLogs } from './migrations/0043-content-logs.ts'
import { scim } from './migrations/0044-scim.ts'
import { usageExports } from './migrations/0045-exports.ts'
import { batchFigures } from './migrations/0047-batch-figures.ts'
import { vectorPlaceIndexes, vectorPlaces } from './migrations/0049-vector-places.ts'
import { people } from './migrations/0052-people.ts'
import { performance } from './migrations/0053-performance.ts'
import { pageStarts } from './migrations/0054-page-starts.ts'
import { batchUsage } from './migrations/0055-batch-usage.ts'
import { filePlaces } from './migrations/0056-file-places.ts'
import { metadata, metadataIndexes } from './migrations/0057-metadata.ts'
import { vectorStores } from './migrations/0058-vector-stores.ts'
import { documentSourceIndexes, documentSources } from './migrations/0061-document-sources.ts'
import { serverSources } from './migrations/0062-server-sources.ts'
import { packedWords } from './migrations/0064-packed-words.ts'
import { usageSpreads } from './migrations/0066-usage-spreads.ts'
import { guides } from './migrations/0067-guides.ts'
import { asyncPieces } from './migrations/0068-async-pieces.ts'
import { wordPacking } from './migrations/0070-word-packing.ts'
import { addedFiles } from './migrations/0071-added-files.ts'
import { otherNames } from './migrations/0078-other-names.ts'
import { requestLimits } from './migrations/0081-request-limits.ts'

/** The migrations of this version of Sluice, in their order. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'initial', kind: 'expand', run: initial },
  { version: 2, name: 'replicas', kind: 'expand', run: replicas },
  { version: 3, name: 'documents', kind: 'expand', run: documents },
  { version: 4, name: 'responses', kind: 'expand', run: responses },
  { version: 5, name: 'oidc', kind: 'expand', run: oidc },
  { version: 6, name: 'sharing', kind: 'expand', run: sharing },
  { version: 7, name: 'document places', kind: 'expand', run: documentPlaces },
  {
    version: 8,
    name: 'usage columns',
    kind: 'expand',
    run: usageColumns,
    backfill: checkUsagePast,
    indexes: usageIndexes,
  },
  { version: 9, name: 'limits', kind: 'expand', run: limits },
  { version: 10, name: 'kept responses', kind: 'expand', run: keptResponses },
  { version: 11, name: 'schema range', kind: 'expand', run: schemaRange },
  { version: 13, name: 'money', kind: 'expand', run: money },
  { version: 14, name: 'usage at scale', kind: 'expand', run: usageScale },
  { version: 15, name: 'caps', kind: 'expand', run: caps },
  { version: 16, name: 'batches', kind: 'expand', run: batches },
  { version: 17, name: 'webhooks', kind: 'expand', run: webhooks },
  {
    version: 18,
    name: 'search',
    kind: 'expand',
    // Loaded when it runs, because the word lists of all languages come with it.
    run: async (...database) => (await import('./migrations/0018-search.ts')).search(...database),
    backfill: async (...batch) => (await import('./migrations/0018-search.ts')).searchWords(...batch),
  },
  { version: 20, name: 'temporary passwords', kind: 'expand', run: temporaryPasswords },
  { version: 22, name: 'process of a replica', kind: 'expand', run: replicaProcess },
  { version: 23, name: 'uploads', kind: 'expand', run: uploads },
  { version: 24, name: 'request page', kind: 'expand', run: requestPage },
  { version: 26, name: 'margins of usage', kind: 'expand', run: usageMargins },
  { version: 29, name: 'audit log', kind: 'expand', run: audit },
  { version: 32, name: 'native batches', kind: 'expand', run: nativeBatches },
  { version: 34, name: 'service accounts', kind: 'expand', run: serviceAccounts },
  { version: 37, name: 'servers of providers', kind: 'expand', run: servers },
  { version: 38, name: 'key rotation', kind: 'expand', run: keyRotation },
  { version: 43, name: 'content logs', kind: 'expand', run: contentLogs },
  { version: 44, name: 'provisioning', kind: 'expand', run: scim },
  { version: 45, name: 'exports of usage', kind: 'expand', run: usageExports },
  { version: 47, name: 'figures of batches', kind: 'expand', run: batchFigures },
  { version: 49, name: 'vector places', kind: 'expand', run: vectorPlaces, indexes: vectorPlaceIndexes },
  { version: 52, name: 'people', kind: 'expand', run: people },
  { version: 53, name: 'performance of models', kind: 'expand', run: performance },
  { version: 54, name: 'page starts', kind: 'expand', run: pageStarts },
  { version: 55, name: 'usage of batches', kind: 'expand', run: batchUsage },
  { version: 56, name: 'places of files', kind: 'expand', run: filePlaces },
  { version: 57, name: 'metadata of documents', kind: 'expand', run: metadata, indexes: metadataIndexes },
  { version: 58, name: 'vector stores', kind: 'expand', run: vectorStores },
  { version: 61, name: 'sources of documents', kind: 'expand', run: documentSources, indexes: documentSourceIndexes },
  { version: 62, name: 'sources of the server', kind: 'expand', run: serverSources },
  { version: 64, name: 'packed words', kind: 'expand', run: packedWords },
  { version: 66, name: 'histograms of times', kind: 'expand', run: usageSpreads },
  { version: 67, name: 'guides put away', kind: 'expand', run: guides },
  { version: 68, name: 'streams of async requests', kind: 'expand', run: asyncPieces },
  { version: 70, name: 'packing of words', kind: 'expand', run: wordPacking },
  { version: 71, name: 'files on their way into vector stores', kind: 'expand', run: addedFiles },
  { version: 78, name: 'names of copies', kind: 'expand', run: otherNames },
  { version: 81, name: 'limits of requests', kind: 'expand', run: requestLimits },
]

export interface MigrateOptions {
  readonly migrations: readonly Migration[]
  /** Ends the wait for locks and for another process that migrates. */
  readonly signal?: AbortSignal
  /** A lock that a migration needs is not free; it is asked for again. */
  readonly onBlocked?: RunOptions['onBlocked']
  /** Times that each step asks for its locks; some five minutes of trying when absent. */
  readonly attemptsMax?: number
}

const defaultAttemptsMax = 300
const never = new AbortController().signal

/**
 * Runs the migrations that the database has not had and may have now. Resolves with the contract steps that wait for
 * older processes to leave. Throws StoreTooNew.
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<readonly Contract[]> {
  const { migrations: all, signal = never, onBlocked = () => undefined, attemptsMax = defaultAttemptsMax } = options
  const before = await readSchemaState(database.kysely, database.engine)
  refuseTooNew(before, all)
  // Without the lock: a process that has nothing to do does not wait for one that fills a table.
  if (before.prepared && pendingOf(before, all).length === 0) return []
  return underMigrationLock(database, signal, async (connection) => {
    const { engine } = database
    if (!before.prepared) await connection.transaction().execute(prepareSchemaState)
    const state = await readSchemaState(connection, engine)
    refuseTooNew(state, all)
    const run = (on: Kysely<Tables>): Promise<readonly Contract[]> =>
      runPending(pendingOf(state, all), (migration) =>
        runMigration(on, engine, migration, { attemptsMax, signal, onBlocked }),
      )
    // A new database serves nobody yet. In one transaction its schema takes a fifth of the time, and is there whole or not at all.
    return state.applied.size === 0 ? connection.transaction().execute(run) : run(connection)
  })
}

/** Resolves with the contract steps that wait. */
async function runPending(
  pending: readonly Migration[],
  run: (migration: Migration) => Promise<Outcome>,
): Promise<readonly Contract[]> {
  const waiting: Contract[] = []
  for (const migration of pending) {
    // In their order, so one that waits holds up those after it.
    if (waiting.length > 0 && migration.kind === 'contract') waiting.push(migration)
    else if ((await run(migration)) === 'waits' && migration.kind === 'contract') waiting.push(migration)
  }
  return waiting
}

/** A migration that the database has not had. */
export interface PendingMigration {
  readonly migration: Migration
  /** Processes whose code a contract step would break, and for which it waits. */
  readonly waitsFor: readonly string[]
}

/** What `migrate` would do, in its order; changes nothing. Throws StoreTooNew. */
export async function plannedMigrations(
  database: Database,
  all: readonly Migration[],
): Promise<readonly PendingMigration[]> {
  const { kysely, engine } = database
  const state = await readSchemaState(kysely, engine)
  refuseTooNew(state, all)
  // Processes of a version that did not register its schema count as 0, and a new database has none at all.
  const hasReplicas = engine === 'postgres' && state.applied.has(schemaRangeVersion)
  let waitsFor: readonly string[] = []
  const planned: PendingMigration[] = []
  for (const migration of pendingOf(state, all)) {
    // One that waits holds up those after it.
    if (migration.kind === 'contract' && hasReplicas && waitsFor.length === 0)
      waitsFor = await olderProcesses(kysely, migration.needs)
    planned.push({ migration, waitsFor })
  }
  return planned
}

const schemaRangeVersion = 11

/** Expand steps first, each kind in its order. */
function pendingOf({ applied }: SchemaState, all: readonly Migration[]): readonly Migration[] {
  const pending = all.filter(({ version }) => !applied.has(version))
  return ['expand', 'contract'].flatMap((kind) => pending.filter((migration) => migration.kind === kind))
}

function refuseTooNew({ needs }: SchemaState, all: readonly Migration[]): void {
  const known = knownSchema(all)
  if (needs > known) throw new StoreTooNew(needs, known)
}
