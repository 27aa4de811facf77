/**
 * The tables as Kysely types them; the DDL is in migrations/. One schema for both engines: ids are
 * UUIDs as text, times are milliseconds since 1970, booleans are 0 or 1, JSON is text.
 */
import type { Generated } from 'kysely'

/** 0 or 1: SQLite has no boolean type. */
export type Flag = 0 | 1

/** A boolean as the tables hold it. */
export function flag(value: boolean): Flag {
  return value ? 1 : 0
}

/** The flag of a patch; undefined leaves the column as it is. */
export function flagIfSet(value: boolean | undefined): Flag | undefined {
  return value === undefined ? undefined : flag(value)
}

/** Columns to write; Kysely leaves out those that are undefined. */
export type Columns<Table> = { readonly [Name in keyof Table]?: Table[Name] | undefined }

export interface UsersTable {
  id: string
  email: string
  name: string
  role: string
  kind: string
  password_hash: string | null
  /** Another person has chosen it. */
  password_temporary: Flag
  disabled: Flag
  declared: Flag
  created_at: number
  updated_at: number
  /** With a session; about once a minute. */
  seen_at: number | null
  /** "Getting started" is put away. */
  guide_hidden: Flag
}

export interface GroupsTable {
  id: string
  name: string
  description: string
  declared: Flag
  /** A JSON list. */
  permissions: Generated<string>
  created_at: number
}

export interface MembershipsTable {
  user_id: string
  group_id: string
}

export interface ApiKeysTable {
  id: string
  public_id: string
  digest: string
  previous_public_id: string | null
  previous_digest: string | null
  previous_until: number | null
  name: string
  description: string
  user_id: string
  created_at: number
  last_used_at: number | null
  expires_at: number | null
  scope_models: string | null
  scope_areas: string | null
  priority: string | null
}

export interface SessionsTable {
  digest: string
  user_id: string
  created_at: number
  expires_at: number
  /** About once a minute. */
  seen_at: number | null
  /** How the browser names itself, cut. */
  agent: string | null
  /** From where the sign-in came. */
  address: string | null
}

export interface InvitationsTable {
  user_id: string
  digest: string
  created_at: number
  expires_at: number
}

/** Users as OpenID Connect issuers know them; `group_ids` is a JSON list. */
export interface OidcIdentitiesTable {
  issuer: string
  subject: string
  user_id: string
  group_ids: string
  made_admin: Flag
  created_at: number
  last_sign_in_at: number
}

export interface ProvidersTable {
  id: string
  name: string
  kind: string
  base_url: string
  credential_sealed: string | null
  headers_sealed: string
  timeouts: string
  options_sealed: string
  reasoning: string | null
  max_concurrent: number | null
  servers: string | null
  enabled: Flag
  declared: Flag
  created_at: number
}

/** A plain model has a provider and an upstream name, a composite has a strategy and components. */
export interface ModelsTable {
  id: string
  provider_id: string | null
  upstream_name: string | null
  strategy: string | null
  failover: string
  rules: string
  reasoning: string | null
  description: string
  active: Flag
  context_length: number | null
  capabilities: string
  inflight_limit: number | null
  max_concurrent: number | null
  batch: string | null
  timeouts: string
  declared: Flag
  created_at: number
}

export interface ModelComponentsTable {
  model_id: string
  component_id: string
  position: number
  weight: number
  priority: number
  enabled: Flag
}

/** Names and aliases of all models in one namespace: the primary key refuses a clash. */
export interface ModelNamesTable {
  name: string
  model_id: string
  alias: Flag
}

export interface ModelGroupsTable {
  model_id: string
  group_id: string
}

export interface InflightOverridesTable {
  user_id: string
  model_id: string
  inflight_limit: number
}

export interface UsageRecordsTable {
  id: Generated<number>
  at: number
  request_id: string
  key_id: string | null
  user_id: string | null
  endpoint: string
  model_asked: string | null
  model_id: string | null
  model_served: string | null
  provider: string | null
  upstream_status: number | null
  status: number
  code: string | null
  streamed: Flag
  prompt_tokens: number | null
  completion_tokens: number | null
  first_token_ms: number | null
  duration_ms: number
  request_bytes: number
  response_bytes: number
  attempts: number
  upstream_model: string | null
  attempt_reasons: string | null
  cached_tokens: number | null
  cache_write_tokens: number | null
  reasoning_tokens: number | null
  /** 10^-9 of the currency. */
  cost: number | null
  price_id: string | null
  /** JSON. */
  units: string | null
  counters: string | null
  slices: string | null
  queue_ms: number | null
  called_ms: number | null
  /** JSON. */
  limits: string | null
}

/** What sums of usage are kept by; an empty text stands for none. */
export interface UsageSeriesTable {
  row: Generated<number>
  user_id: string
  key_id: string
  model: string
  provider: string
}

/** Sums of an hour or a day, by its beginning. */
export interface UsageSumsTable extends UsageSums {
  series: number
}

/** The same of everything, or of one user, model or provider. */
export interface UsageMarginsTable extends UsageSums {
  /** 1 or 24. */
  hours: number
  /** `all`, `user`, `model` or `provider`. */
  margin: string
  /** Empty for what has none. */
  name: string
}

/** How long answered requests took, as text of usage/spread.ts. */
export interface UsageSpreadsTable extends Pick<UsageMarginsTable, 'hours' | 'name' | 'at'> {
  /** `all`, `model` or `provider`. */
  margin: string
  durations: string
  first_tokens: string
}

interface UsageSums {
  at: number
  requests: number
  errors: number
  prompt_tokens: number
  completion_tokens: number
  cached_tokens: number
  cache_write_tokens: number
  reasoning_tokens: number
  request_bytes: number
  response_bytes: number
  duration_ms: number
  cost: number
  first_tokens: number
  failures: number
  stream_tokens: number
  stream_ms: number
  first_token_ms: number
}

/** One row. Rows up to `remaining` are not in the sums yet; rows up to `boundary` were there before the sums. */
export interface UsageBackfillTable {
  id: number
  remaining: number
  boundary: number
  /** PostgreSQL: earlier times are in the partition of the time before partitions. */
  past_until: number
}

/** Records of a journal that the database has, from the first to the last number. */
export interface UsageBatchesTable {
  journal: string
  first: number
  last: number
}

export interface PricesTable {
  id: string
  model_id: string
  source: string
  upstream: string | null
  valid_from: number
  /** JSON. */
  rates: string
  tiers: string
  note: string
  created_at: number
  replaced_at: number | null
}

export interface BudgetsTable {
  id: string
  scope: string
  scope_id: string
  period: string
  time_zone: string
  amount: number
  hard: Flag
  /** A JSON list. */
  thresholds: string
  declared: Flag
  created_at: number
}

export interface BudgetCountersTable {
  id: string
  budget_id: string
  starts_at: number
  spent: number
  /** The highest threshold that was told, in percent. */
  notified: number
  /** When a process last wanted more than it got. */
  wanted_at: number
}

/** What a counter's records of a day (UTC) cost. */
export interface BudgetDaysTable {
  counter: string
  day: number
  spent: number
}

export interface BudgetHoldersTable {
  id: string
  seen_at: number
}

export interface BudgetSlicesTable {
  id: string
  counter: string
  holder: string
  held: number
  sequence: number
  granted: number
}

export interface StoredResponsesTable {
  id: string
  user_id: string
  provider_id: string
  model_id: string
  usage_due: Flag
  created_at: number
}

export interface SettingsTable {
  name: string
  value: string
  updated_at: number
}

export interface DocumentsTable {
  row: Generated<number>
  id: string
  importer_id: string
  name: string
  name_folded: string
  category: string
  sha256: string
  content_key: string
  bytes: number
  reader: string
  chunker: string
  embedder: string
  state: string
  progress: string
  attempts: number
  error: string | null
  warnings: string
  media_type: string | null
  title: string | null
  version: number
  fence: number
  visible_set: number | null
  visible_version: number
  visible_sha256: string | null
  state_at: string
  created_at: number
  updated_at: number
  /** Where the bytes of the newest version lie; null when that was not recorded. */
  place: string | null
  crashes: Generated<number>
  /** JSON: names under which the same bytes came again. */
  other_names: Generated<string>
  /** The file that the document is of; null when its import named none. */
  source_name: string | null
  source_id: string | null
  source_version: string | null
  /** One for each importer, source and file. */
  source_key: string | null
  /** A JSON object. */
  metadata: Generated<string>
  /** What of it the file itself states: that of the version that was read last. */
  stated_metadata: Generated<string>
}

/** The values in the metadata of documents. */
export interface DocumentFieldsTable {
  document_row: number
  place: number
  key: string
  kind: number
  text: string | null
  number: number | null
}

/** PostgreSQL only. */
export interface DocumentBytesTable {
  document_id: string
  sha256: string
  part: number
  bytes: Uint8Array
}

export interface DocumentOwnersTable {
  principal: string
  document_row: number
  from_version: number
}

export interface DocumentJobsTable {
  document_row: number
  fence: number
  available_at: number
  lease_until: number | null
  worker: string | null
}

export interface DocumentChangesTable {
  version: number
  set_row: number
}

export interface VectorSpacesTable {
  row: Generated<number>
  key: string
  dimensions: number
  embedder: string
}

export interface ChunkSetsTable {
  row: Generated<number>
  document_row: number
  fence: number
  space_row: number
  chunks: number
  doomed: Flag
  /** JSON of PageStart[]; null for none. */
  pages: string | null
  /** As vector-index.ts numbers places and states. */
  index_place: Generated<number>
  index_state: Generated<number>
}

/** Sets whose vectors are still to be removed from a place outside of the database. */
export interface VectorRemovalsTable {
  set_row: number
  place: number
  space_row: number
}

export interface DocumentChunksTable {
  row: number
  start_at: number
  end_at: number
  page: number | null
  page_label: string | null
  heading_path: string
  table_header: string | null
  tokens: number
  text: string
}

export interface ChunkVectorsTable {
  row: number
  vector: Uint8Array
}

/** On SQLite a virtual table with other columns (staging.ts). */
export interface ChunkTermsTable {
  row: number
  terms: string
}

/** `row` is that of the first of the chunks. */
export interface ChunkWordsTable {
  row: number
  words: Uint8Array
}

export interface WordPackingTable {
  id: number
  /** Chunks up to this row have been looked at. */
  after_row: number
  /** 1: processes that store chunks without their words run beside it, so all are looked at once more. */
  again: number
  done: number
}

export interface ChunkCodesTable {
  set_row: number
  first: number
  codes: Uint8Array
  /** Null for codes of a version that had no centres, and for those made before the space had one. */
  centre_row: number | null
  /** Null for codes of a version that had none. */
  scales: Uint8Array | null
}

/** Languages that texts were guessed to be in. */
export interface DocumentLanguagesTable {
  language: string
}

export interface VectorCentresTable {
  row: Generated<number>
  space_row: number
  centre: Uint8Array
}

/** PostgreSQL only, like the two after it. */
export interface ReplicasTable {
  id: string
  beat: string
  applied_version: number
  timeout_ms: number
  heartbeat_at: Date
  schema_version: number
  status: string
  process: string | null
}

export interface ChangesTable {
  version: number
  entry: string
}

export interface ChangeCounterTable {
  id: number
  version: number
}

/** PostgreSQL only, like all tables of limits. One row. */
export interface LimitRosterTable {
  id: number
  installation: string
  epoch: number
  /** A JSON list of names. */
  members: string
  token: string | null
}

export interface LimitMembersTable {
  name: string
  replica_id: string
  epoch: number
  /** A JSON list. */
  excesses: string
}

/** One row; none before the place was opened. */
export interface LimitPlaceTable {
  id: number
  epoch: number
  token: string
}

export interface LimitPlaceBatchesTable {
  member: string
  seq: number
}

export interface LimitPlaceClaimsTable {
  row_key: string
  amount: number
}

export interface SignInCountsTable {
  key: string
  failures: number
  /** Milliseconds since 1970 on the database's clock. */
  locked_until: number
  has_waited: Flag
}

export interface MigrationsTable {
  version: number
  name: string
}

export interface SchemaRangeTable {
  id: number
  needs: number
}

export interface SchemaProgressTable {
  version: number
  position: string | null
  filled: number
}

export interface KeptResponsesTable {
  id: string
  user_id: string
  model_id: string
  previous_id: string | null
  status: string
  /** Null when no process is making it. */
  worker_id: string | null
  lease_until: number | null
  bytes: number
  created_at: number
  used_at: number
}

export interface KeptTextsTable {
  owner_id: string
  kind: string
  position: number
  sealed: string
}

export interface KeptBytesTable {
  user_id: string
  bytes: number
}

export interface ConversationsTable {
  id: string
  user_id: string
  next_position: number
  bytes: number
  created_at: number
  used_at: number
}

export interface ConversationItemsTable {
  conversation_id: string
  position: number
  item_id: string
  bytes: number
}

export interface FilesTable {
  id: string
  user_id: string
  /** What its bytes are stored under. */
  blob_id: string
  /** Null for an output whose batch still runs: its lines are in batch_results. */
  sha256: string | null
  purpose: string
  name: string
  bytes: number
  created_at: number
  expires_at: number | null
  /** Where its bytes lie; null when that was not recorded. */
  place: string | null
}

export interface VectorStoresTable {
  id: string
  user_id: string
  name: string | null
  description: string | null
  metadata: string
  expires_days: number | null
  created_at: number
  last_active_at: number
  deleted_at: number | null
}

export interface VectorStoreFilesTable {
  store_id: string
  file_id: string
  document_id: string
  batch_id: string | null
  attributes: string | null
  chunking: string
  error_code: string | null
  error_message: string | null
  created_at: number
  /** 1 until its document is there. */
  pending: Generated<number>
  claimed_until: Generated<number>
}

export interface VectorStoreBatchesTable {
  id: string
  store_id: string
  created_at: number
  cancelled_at: number | null
}

export interface UploadsTable {
  id: string
  user_id: string
  purpose: string
  name: string
  bytes: number
  life_ms: number | null
  status: string
  created_at: number
  expires_at: number
}

export interface BatchesTable {
  id: string
  user_id: string
  key_id: string | null
  dialect: string
  endpoint: string
  completion_window: string
  metadata: string | null
  input_file_id: string
  output_file_id: string | null
  error_file_id: string | null
  files_expire_ms: number | null
  status: string
  /** Why it ends before all lines are done: `cancelled` or `expired`. */
  outcome: string | null
  errors: string | null
  total: number
  completed: number
  failed: number
  undone: number
  /** In 10^-9 of the currency; null: no line had a price. */
  cost: number | null
  /** JSON: lines that failed, by the code of their error. */
  failures: string | null
  /** JSON of the tokens of its lines; null: none of them reported any. */
  usage: string | null
  /** The one that all lines name; null for several. */
  model: string | null
  parts_left: number
  has_results: Flag
  native_models: string | null
  created_at: number
  expires_at: number
  in_progress_at: number | null
  cancelling_at: number | null
  finalizing_at: number | null
  ended_at: number | null
}

export interface BatchJobsTable {
  batch_id: string
  part: number
  user_id: string
  first_line: number
  position: number
  bytes: number
  fence: number
  worker: string | null
  lease_until: number | null
  available_at: number
  native_model: string | null
  native: string | null
}

export interface BatchResultsTable {
  batch_id: string
  line: number
  is_error: Flag
  text: string
}

export interface AsyncPiecesTable {
  batch_id: string
  position: number
  /** The try of the call that all pieces of the batch are of. */
  attempt: string
  text: string
}

export interface WebhookEndpointsTable {
  id: string
  url: string
  description: string
  /** A JSON list. */
  types: string
  user_id: string | null
  secret: string
  former_secret: string | null
  former_until: number | null
  failing_since: number | null
  disabled_at: number | null
  disabled_reason: string | null
  dropped: number
  created_at: number
}

export interface WebhookDeliveriesTable {
  id: string
  endpoint_id: string
  event_id: string
  type: string
  payload: string
  state: string
  attempts: number
  fence: number
  worker: string | null
  /** From when it may be claimed; while it is claimed, the end of the lease. */
  available_at: number
  created_at: number
  /** When its attempts began: its creation, or the last replay. */
  begun_at: number
  ended_at: number | null
  status: number | null
  error: string | null
  duration_ms: number | null
}

export interface WebhookToldTable {
  subject: string
  at: number
}

export interface ScimUsersTable {
  user_id: string
  user_name: string
  external_id: string | null
  given_name: string
  family_name: string
}

export interface ScimGroupsTable {
  group_id: string
  external_id: string | null
}

export interface SourcesTable {
  id: string
  name: string
  kind: string
  url: string
  options: string
  /** Sealed. */
  credential: string | null
  user_id: string
  category: string
  owners: string | null
  every_minutes: number
  enabled: number
  due_at: number
  begun_at: number | null
  last_run: string | null
  created_at: number
}

export interface UsageExportsTable {
  id: string
  /** `day` or `month`. */
  period: string
  starts_at: number
  ends_at: number
  time_zone: string
  version: number
  /** `pending` or `done`. */
  state: string
  error: string | null
  row_count: number | null
  requests: number | null
  cost: number | null
  created_at: number
  finished_at: number | null
}

export interface UsageExportFilesTable {
  export_id: string
  format: string
  blob_id: string
  sha256: string
  bytes: number
}

export interface ContentLogsTable {
  id: string
  at: number
  request_id: string
  user_id: string
  key_id: string | null
  model: string
  endpoint: string
  status: number
  code: string | null
  request_cut: number
  answer_cut: number
  /** What the texts take. */
  bytes: number
  /** Sealed. */
  request: string
  /** Sealed. */
  answer: string | null
}

export interface ContentLogDaysTable {
  /** Days since 1970, of UTC. */
  day: number
  bytes: number
}

export interface AuditRowsTable {
  /** Numbers without a gap, from 1. */
  seq: number
  at: number
  action: string
  outcome: string
  source: string
  actor: string
  actor_id: string | null
  key_id: string | null
  address: string
  request_id: string
  record: string
  /** JSON. */
  details: string
  /** The hash of the row before; empty for the first. */
  previous: string
  hash: string
}

/** One row. */
export interface AuditHeadTable {
  id: number
  /** The newest row. */
  seq: number
  hash: string
  /** The last row that retention removed; 0 before that. */
  removed_seq: number
  removed_hash: string
}

export interface Tables {
  users: UsersTable
  groups: GroupsTable
  memberships: MembershipsTable
  api_keys: ApiKeysTable
  sessions: SessionsTable
  invitations: InvitationsTable
  oidc_identities: OidcIdentitiesTable
  scim_users: ScimUsersTable
  scim_groups: ScimGroupsTable
  providers: ProvidersTable
  models: ModelsTable
  model_components: ModelComponentsTable
  model_names: ModelNamesTable
  model_groups: ModelGroupsTable
  inflight_overrides: InflightOverridesTable
  usage_records: UsageRecordsTable
  usage_series: UsageSeriesTable
  usage_hours: UsageSumsTable
  usage_days: UsageSumsTable
  usage_margins: UsageMarginsTable
  usage_spreads: UsageSpreadsTable
  usage_backfill: UsageBackfillTable
  usage_batches: UsageBatchesTable
  prices: PricesTable
  budgets: BudgetsTable
  budget_counters: BudgetCountersTable
  budget_days: BudgetDaysTable
  budget_holders: BudgetHoldersTable
  budget_slices: BudgetSlicesTable
  stored_responses: StoredResponsesTable
  kept_responses: KeptResponsesTable
  kept_texts: KeptTextsTable
  kept_bytes: KeptBytesTable
  conversations: ConversationsTable
  conversation_items: ConversationItemsTable
  files: FilesTable
  uploads: UploadsTable
  batches: BatchesTable
  batch_jobs: BatchJobsTable
  batch_results: BatchResultsTable
  async_pieces: AsyncPiecesTable
  settings: SettingsTable
  documents: DocumentsTable
  document_owners: DocumentOwnersTable
  vector_stores: VectorStoresTable
  vector_store_files: VectorStoreFilesTable
  vector_store_batches: VectorStoreBatchesTable
  document_fields: DocumentFieldsTable
  document_bytes: DocumentBytesTable
  document_jobs: DocumentJobsTable
  document_changes: DocumentChangesTable
  document_change_counter: ChangeCounterTable
  vector_spaces: VectorSpacesTable
  chunk_sets: ChunkSetsTable
  document_chunks: DocumentChunksTable
  chunk_vectors: ChunkVectorsTable
  chunk_codes: ChunkCodesTable
  vector_centres: VectorCentresTable
  vector_removals: VectorRemovalsTable
  document_languages: DocumentLanguagesTable
  chunk_terms: ChunkTermsTable
  chunk_words: ChunkWordsTable
  word_packing: WordPackingTable
  replicas: ReplicasTable
  changes: ChangesTable
  change_counter: ChangeCounterTable
  limit_roster: LimitRosterTable
  limit_members: LimitMembersTable
  limit_place: LimitPlaceTable
  limit_place_batches: LimitPlaceBatchesTable
  limit_place_claims: LimitPlaceClaimsTable
  sign_in_counts: SignInCountsTable
  webhook_endpoints: WebhookEndpointsTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_told: WebhookToldTable
  audit_rows: AuditRowsTable
  audit_head: AuditHeadTable
  content_logs: ContentLogsTable
  content_log_days: ContentLogDaysTable
  usage_exports: UsageExportsTable
  sources: SourcesTable
  usage_export_files: UsageExportFilesTable
  schema_migrations: MigrationsTable
  schema_range: SchemaRangeTable
  schema_progress: SchemaProgressTable
}
