/** Providers. Credentials, headers and options are sealed before they reach the database. */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { ProviderRecord, ReasoningConfig, Servers, Timeouts } from '#catalog/records.ts'
import { SealError, type Sealer } from '#lib/seal.ts'
import { Secret } from '#lib/secret.ts'
import { checkedChange, type Check } from '../checked-change.ts'
import type { Database } from '../database.ts'
import { InUse, refusing } from '../errors.ts'
import { behindCursor, creationPlace, pageOf, type Page, type PageRequest } from '../page.ts'
import { flag, flagIfSet, type Columns, type ProvidersTable, type Tables } from '../schema.ts'

export type ProviderPatch = Partial<Omit<ProviderRecord, 'id' | 'createdAt'>>

/** Every method that returns a record throws SealError when the secret key is not the one it was written with. */
export interface ProviderStore {
  /** A page of providers in the order of creation. Throws InvalidCursor. */
  list(request: PageRequest): Promise<Page<ProviderRecord>>
  /** Every provider, in the order of creation. */
  all(): Promise<readonly ProviderRecord[]>
  get(id: string): Promise<ProviderRecord | null>
  byName(name: string): Promise<ProviderRecord | null>
  /** Throws NameTaken. */
  insert(provider: ProviderRecord): Promise<void>
  /** The provider as changed, or null when there is none. Throws NameTaken. */
  update(id: string, patch: ProviderPatch, check?: Check<ProviderRecord>): Promise<ProviderRecord | null>
  /** False when there is no such provider. Throws InUse while it has models. */
  delete(id: string, check?: Check<ProviderRecord>): Promise<boolean>
  /**
   * Clears credential, headers and options of the providers whose sealed values do not open with the
   * key of this store; all or nothing. Returns the names of those that lost something, in the order of creation.
   */
  forgetUnreadable(): Promise<readonly string[]>
}

/** The providers of this database, their secrets under this sealer's key. */
export function providerStore(database: Database, sealer: Sealer): ProviderStore {
  const { kysely } = database
  const item = (row: Selectable<ProvidersTable>): ProviderRecord => providerOf(row, sealer)
  const readOn = async (on: Kysely<Tables>, id: string): Promise<ProviderRecord | null> => {
    const row = await on.selectFrom('providers').selectAll().where('id', '=', id).executeTakeFirst()
    return row === undefined ? null : item(row)
  }
  return {
    async list(request) {
      const rows = await kysely
        .selectFrom('providers')
        .selectAll()
        .where(behindCursor(request, 'providers'))
        .orderBy('created_at')
        .orderBy('id')
        .limit(request.limit + 1)
        .execute()
      return pageOf(rows, request.limit, { item, place: creationPlace })
    },
    async all() {
      const rows = await kysely.selectFrom('providers').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(item)
    },
    get: (id) => readOn(kysely, id),
    async byName(name) {
      const row = await kysely.selectFrom('providers').selectAll().where('name', '=', name).executeTakeFirst()
      return row === undefined ? null : item(row)
    },
    async insert(provider) {
      await refusing({ taken: provider.name }, () =>
        kysely.insertInto('providers').values(rowOf(provider, sealer)).execute(),
      )
    },
    async update(id, patch, check) {
      const write = (on: Kysely<Tables>) =>
        on
          .updateTable('providers')
          // The id makes an empty patch a valid statement.
          .set({ id, ...columnsOf(patch, id, sealer) })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
      const row = await refusing({ taken: patch.name }, () =>
        checkedChange(database, check, { table: 'providers', id, read: (on) => readOn(on, id), write }),
      )
      return row === undefined ? null : item(row)
    },
    async delete(id, check) {
      const write = (on: Kysely<Tables>) => on.deleteFrom('providers').where('id', '=', id).executeTakeFirst()
      const result = await refusing({ reference: new InUse('provider', 'models') }, () =>
        checkedChange(database, check, { table: 'providers', id, read: (on) => readOn(on, id), write }),
      )
      return result.numDeletedRows > 0n
    },
    forgetUnreadable: () => kysely.transaction().execute((trx) => forgetUnreadable(trx, sealer)),
  }
}

async function forgetUnreadable(trx: Transaction<Tables>, sealer: Sealer): Promise<readonly string[]> {
  const rows = await trx.selectFrom('providers').selectAll().orderBy('created_at').orderBy('id').execute()
  const unreadable = rows.filter((row) => !isReadable(row, sealer))
  for (const { id } of unreadable) {
    const cleared = columnsOf({ credential: null, headers: {}, options: {} }, id, sealer)
    await trx.updateTable('providers').set(cleared).where('id', '=', id).execute()
  }
  return unreadable.filter((row) => holdsSecrets(row, sealer)).map(({ name }) => name)
}

/** A sealed text tells its length, and an empty mapping has the shortest. */
function holdsSecrets(
  { credential_sealed, headers_sealed, options_sealed }: Selectable<ProvidersTable>,
  sealer: Sealer,
) {
  const empty = sealer.seal('{}', '').length
  return credential_sealed !== null || headers_sealed.length > empty || options_sealed.length > empty
}

function isReadable(row: Selectable<ProvidersTable>, sealer: Sealer): boolean {
  try {
    providerOf(row, sealer)
    return true
  } catch (thrown) {
    if (thrown instanceof SealError) return false
    throw thrown
  }
}

/** What a sealed value is bound to, so that nobody who can write the table can move it to another row or column. */
function credentialContext(id: string): string {
  return `provider ${id} credential`
}

function headersContext(id: string): string {
  return `provider ${id} headers`
}

/** Some kinds have secrets among their options, such as the token of a session. */
function optionsContext(id: string): string {
  return `provider ${id} options`
}

function rowOf(provider: ProviderRecord, sealer: Sealer): ProvidersTable {
  const { id, credential, headers } = provider
  return {
    id,
    name: provider.name,
    kind: provider.kind,
    base_url: provider.baseUrl,
    credential_sealed: credential && sealer.seal(credential.reveal(), credentialContext(id)),
    headers_sealed: sealer.seal(JSON.stringify(headers), headersContext(id)),
    timeouts: JSON.stringify(provider.timeouts),
    options_sealed: sealer.seal(JSON.stringify(provider.options), optionsContext(id)),
    reasoning: provider.reasoning && JSON.stringify(provider.reasoning),
    max_concurrent: provider.maxConcurrent,
    servers: provider.servers && JSON.stringify(provider.servers),
    enabled: flag(provider.enabled),
    declared: flag(provider.declared),
    created_at: provider.createdAt,
  }
}

function columnsOf(patch: ProviderPatch, id: string, sealer: Sealer): Columns<ProvidersTable> {
  const { credential, headers, timeouts, options, reasoning, servers } = patch
  return {
    name: patch.name,
    kind: patch.kind,
    base_url: patch.baseUrl,
    credential_sealed: credential && sealer.seal(credential.reveal(), credentialContext(id)),
    headers_sealed: headers && sealer.seal(JSON.stringify(headers), headersContext(id)),
    timeouts: timeouts && JSON.stringify(timeouts),
    options_sealed: options && sealer.seal(JSON.stringify(options), optionsContext(id)),
    reasoning: reasoning && JSON.stringify(reasoning),
    max_concurrent: patch.maxConcurrent,
    servers: servers && JSON.stringify(servers),
    enabled: flagIfSet(patch.enabled),
    declared: flagIfSet(patch.declared),
  }
}

function providerOf(row: Selectable<ProvidersTable>, sealer: Sealer): ProviderRecord {
  const { id, credential_sealed: credential } = row
  return {
    id,
    name: row.name,
    kind: row.kind,
    baseUrl: row.base_url,
    credential: credential === null ? null : new Secret(sealer.open(credential, credentialContext(id))),
    headers: JSON.parse(sealer.open(row.headers_sealed, headersContext(id))) as Readonly<Record<string, string>>,
    timeouts: JSON.parse(row.timeouts) as Timeouts,
    options: JSON.parse(sealer.open(row.options_sealed, optionsContext(id))) as ProviderRecord['options'],
    reasoning: row.reasoning === null ? null : (JSON.parse(row.reasoning) as ReasoningConfig),
    maxConcurrent: row.max_concurrent,
    servers: row.servers === null ? null : (JSON.parse(row.servers) as Servers),
    enabled: row.enabled === 1,
    declared: row.declared === 1,
    createdAt: row.created_at,
  }
}
