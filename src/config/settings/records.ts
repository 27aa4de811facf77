/**
 * Every setting of Sluice, one record each. The types, the environment names, the checks, the
 * admin page, `sluice print-config` and docs/configuration.md are all read from this table.
 *
 * Adding a setting means adding a record here and running `npm run docs`. A setting is `live` only
 * when every place that uses it asks for the value each time it needs it.
 */
import type { Secret } from '#lib/secret.ts'
import type { FormatName } from './formats.ts'

interface RecordBase {
  /** `boot`: read once at start. `live`: also editable by an administrator, applied without a restart. */
  readonly class: 'boot' | 'live'
  /** What the setting does, one sentence. */
  readonly sentence: string
  /** A value as it would be written in the file. */
  readonly example: string
  /** Name of a setting without which this one, once set, is of no use. */
  readonly needs?: string
  /** The only value of this one with which it needs the other. */
  readonly needsFor?: string
}

interface StringRecord extends RecordBase {
  readonly type: 'string'
  readonly default: string | null
  /** The only values allowed. */
  readonly values?: readonly string[]
  readonly format?: FormatName
}

interface NumberRecord extends RecordBase {
  /** `duration` is a number of seconds; fractions are allowed. */
  readonly type: 'integer' | 'number' | 'duration'
  readonly default: number
  readonly unit?: string
  readonly min: number
  readonly max: number
  /** A word that may be written in place of the number 0. */
  readonly zeroWord?: string
}

interface BooleanRecord extends RecordBase {
  readonly type: 'boolean'
  readonly default: boolean
}

interface SecretRecord extends RecordBase {
  readonly type: 'secret'
  readonly default: null
  readonly format?: FormatName
  /** Print it as a URL with only its password hidden. */
  readonly shownAs?: 'url'
}

interface ListRecord extends RecordBase {
  readonly type: 'list'
  readonly default: readonly string[]
  /** The form of each item. */
  readonly format?: FormatName
}

interface IntegersRecord extends RecordBase {
  readonly type: 'integers'
  readonly default: readonly number[]
  readonly min: number
  readonly max: number
}

interface MapRecord extends RecordBase {
  /** Texts by name. */
  readonly type: 'map'
  readonly default: Readonly<Record<string, string>>
}

export type SettingRecord =
  | StringRecord
  | NumberRecord
  | BooleanRecord
  | SecretRecord
  | ListRecord
  | IntegersRecord
  | MapRecord

/** Refused as `security.secret_key`, because everybody can read it in the documentation. */
export const exampleSecretKey = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'

const boot = { class: 'boot' } as const
const live = { class: 'live' } as const
const seconds = { type: 'duration', unit: 'seconds' } as const
const bytes = { type: 'integer', unit: 'bytes' } as const

export const settingRecords = {
  data_dir: {
    ...boot,
    type: 'string',
    default: './data',
    example: '/var/lib/sluice',
    sentence: 'Directory for all data of Sluice. Sluice creates it when it is missing.',
  },

  'server.host': {
    ...boot,
    type: 'string',
    format: 'host',
    default: '127.0.0.1',
    example: '0.0.0.0',
    sentence: 'IP address or host name to listen on. 0.0.0.0 or :: opens the server to other machines.',
  },
  'server.port': {
    ...boot,
    type: 'integer',
    default: 3001,
    min: 0,
    max: 65535,
    example: '8080',
    sentence: 'Port to listen on. 0 means any free port.',
  },
  'server.workers': {
    ...boot,
    type: 'integer',
    default: 1,
    min: 0,
    max: 256,
    zeroWord: 'auto',
    example: 'auto',
    sentence:
      'Processes that serve the port together, each with a core of its own; auto is one for each core. More than one need PostgreSQL and Linux.',
  },
  'server.worker_hang_seconds': {
    ...boot,
    ...seconds,
    default: 30,
    min: 0,
    max: 3600,
    example: '60',
    sentence: 'A worker that gives no sign of life for this long is ended and started again. 0 ends none.',
  },
  'server.public_url': {
    ...boot,
    type: 'string',
    format: 'http-url',
    default: null,
    example: 'https://ai.example.org',
    sentence: 'URL under which users reach this server. Examples and sign-in use it.',
  },
  'server.trusted_proxies': {
    ...boot,
    type: 'list',
    format: 'network',
    default: [],
    example: '10.0.0.0/8, fd00::/8',
    sentence:
      'Reverse proxies whose Forwarded or X-Forwarded-For header gives the address of the client. Without it, every client behind a proxy has the address of the proxy.',
  },
  'server.cors_origins': {
    ...live,
    type: 'list',
    format: 'origin',
    default: [],
    example: 'https://app.example.com, http://localhost:5173',
    sentence:
      'Web sites whose pages may call the AI, documents and generation APIs with a key, as origins; "*" is every site. Administration and the console stay with their own origin.',
  },
  'server.drain_seconds': {
    ...boot,
    ...seconds,
    default: 30,
    min: 0,
    max: 3600,
    example: '60',
    sentence: 'Time that a stopping server gives running requests before it ends them.',
  },
  'server.drain_delay_seconds': {
    ...boot,
    ...seconds,
    default: 0,
    min: 0,
    max: 600,
    example: '10',
    sentence:
      'How long a stopping server serves new requests while /readyz already answers 503, so that load balancers leave it.',
  },
  'server.max_body_bytes': {
    ...boot,
    ...bytes,
    default: 33_554_432,
    min: 1024,
    max: 1_073_741_824,
    example: '67108864',
    sentence: 'Maximum size of a request body.',
  },
  'server.bytes_in_flight': {
    ...boot,
    ...bytes,
    default: 536_870_912,
    min: 1_048_576,
    max: 68_719_476_736,
    example: '1073741824',
    sentence:
      'Maximum size of all large request bodies of model calls (from 256 KiB) in memory at once, half of it for one user. Further requests wait, for server.body_read_seconds at most. A single request is always accepted.',
  },
  'server.body_read_seconds': {
    ...boot,
    ...seconds,
    default: 30,
    min: 0.1,
    max: 3600,
    example: '60',
    sentence: 'Time within which a request body must arrive completely.',
  },
  'server.header_idle_seconds': {
    ...boot,
    type: 'integer',
    unit: 'seconds',
    default: 10,
    min: 1,
    max: 255,
    example: '5',
    sentence: 'Time within which a new connection must have sent the head of its first request.',
  },
  'server.keep_alive_seconds': {
    ...boot,
    type: 'integer',
    unit: 'seconds',
    default: 75,
    min: 1,
    max: 255,
    example: '120',
    sentence:
      'How long a connection stays open for its next request. Keep it longer than clients and proxies reuse theirs.',
  },
  'server.allowed_hosts': {
    ...boot,
    type: 'list',
    default: [],
    example: 'ai.example.org, gateway.local',
    sentence:
      'Host names, beside that of server.public_url, under which a server on a loopback address answers generation requests without a key.',
  },

  'database.url': {
    ...boot,
    type: 'secret',
    shownAs: 'url',
    format: 'database-url',
    default: null,
    example: 'postgres://sluice:${DATABASE_PASSWORD}@db.example.org/sluice',
    sentence: 'Database URL. The default is the SQLite file sluice.db in data_dir.',
  },
  'database.pool_max': {
    ...boot,
    type: 'integer',
    unit: 'connections',
    default: 10,
    min: 1,
    max: 1000,
    example: '20',
    sentence: 'Maximum number of PostgreSQL connections of one process, besides those for reports and for changes.',
  },
  'database.report_pool_max': {
    ...boot,
    type: 'integer',
    unit: 'connections',
    default: 4,
    min: 1,
    max: 100,
    example: '8',
    sentence:
      'Maximum number of PostgreSQL connections of one process for reports: usage, requests, searches of users.',
  },

  'database.start_wait_seconds': {
    ...boot,
    ...seconds,
    default: 30,
    min: 0,
    max: 3600,
    example: '120',
    sentence: 'How long a starting server waits for a PostgreSQL that cannot be reached yet.',
  },

  'security.secret_key': {
    ...boot,
    type: 'secret',
    format: 'key-32',
    default: null,
    example: exampleSecretKey,
    sentence:
      'Key that encrypts stored credentials. Without it, the first start creates one in the file secret.key in data_dir. "openssl rand -base64 32" prints a new key; the example is refused.',
  },

  'log.level': {
    ...boot,
    type: 'string',
    values: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    example: 'debug',
    sentence: 'Lowest level of the log lines that are written.',
  },
  'log.format': {
    ...boot,
    type: 'string',
    values: ['json', 'text'],
    default: 'json',
    example: 'text',
    sentence: 'Format of the log lines: JSON objects, or text for people.',
  },

  'auth.session_hours': {
    ...boot,
    type: 'number',
    unit: 'hours',
    default: 12,
    min: 0.1,
    max: 8760,
    example: '8',
    sentence: 'How long a sign-in to the console lasts.',
  },
  'auth.sign_in_attempts': {
    ...live,
    type: 'integer',
    unit: 'attempts',
    default: 5,
    min: 1,
    max: 1000,
    example: '10',
    sentence:
      'Failed sign-ins in a row, to one account from one address or browser, after which the next one must wait.',
  },
  'auth.sign_in_lock_seconds': {
    ...live,
    ...seconds,
    default: 60,
    min: 0.1,
    max: 86_400,
    example: '300',
    sentence: 'Length of the first such wait. Each further failure doubles it, up to 15 minutes.',
  },
  'auth.admin_email': {
    ...boot,
    type: 'string',
    format: 'email',
    default: 'admin@localhost',
    example: 'admin@example.org',
    sentence: 'E-mail address of the administrator that the first start creates.',
  },

  'auth.oidc.issuer': {
    ...boot,
    type: 'string',
    format: 'issuer',
    default: null,
    example: 'https://id.example.org/realms/main',
    needs: 'auth.oidc.client_id',
    sentence:
      'URL of the OpenID Connect issuer that users sign in with. Without it, users sign in with a password only.',
  },
  'auth.oidc.client_id': {
    ...boot,
    type: 'string',
    default: null,
    example: 'sluice',
    sentence: 'Client id of this server at the issuer.',
  },
  'auth.oidc.client_secret': {
    ...boot,
    type: 'secret',
    default: null,
    example: 'kTq1EXAMPLE0secret',
    sentence:
      'Client secret of this server at the issuer. Without it, this server is a public client, which only PKCE protects.',
  },
  'auth.oidc.scopes': {
    ...boot,
    type: 'list',
    default: ['openid', 'profile', 'email'],
    example: 'openid, profile, email, groups',
    sentence: 'Scopes that the server requests. It always requests openid.',
  },
  'auth.oidc.button_label': {
    ...live,
    type: 'string',
    default: 'Single sign-on',
    example: 'Example account',
    sentence: 'Label of the button on the sign-in page, after "Sign in with".',
  },
  'auth.oidc.auto_create': {
    ...live,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence: 'Create an account when a user without one signs in.',
  },
  'auth.oidc.allowed_domains': {
    ...live,
    type: 'list',
    default: [],
    example: 'example.org, example.com',
    sentence: 'E-mail domains whose users may sign in with the issuer. An empty list allows all domains.',
  },
  'auth.oidc.trust_email': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence:
      'Treat e-mail addresses as verified even if the issuer does not say so. Use it only where users cannot choose their own address.',
  },
  'auth.oidc.groups_claim': {
    ...live,
    type: 'string',
    default: 'groups',
    example: 'realm_access.roles',
    sentence: 'Claim that lists the groups of a user. Dots separate the names of nested claims.',
  },
  'auth.oidc.group_map': {
    ...live,
    type: 'map',
    default: {},
    example: '0760b6cf-170e-4a14-91b3-4b78e0739963=research',
    sentence:
      'Group names of this server by values of that claim. A value that is not listed means the group of the same name.',
  },
  'auth.oidc.admin_groups': {
    ...live,
    type: 'list',
    default: [],
    example: 'sluice-admins',
    sentence: 'Values of that claim that make a user an administrator.',
  },
  'auth.oidc.more': {
    ...boot,
    type: 'secret',
    format: 'oidc-issuers',
    default: null,
    example:
      '[{"name":"partners","issuer":"https://login.example.com","client_id":"sluice","button_label":"Partners"}]',
    sentence:
      'Further issuers, as a list of mappings with `name` and the settings above without their prefix (in the environment: as JSON).',
  },

  'gateway.connect_seconds': {
    ...live,
    ...seconds,
    default: 10,
    min: 0.05,
    max: 3600,
    example: '5',
    sentence: 'Time within which a provider must accept the connection.',
  },
  'gateway.first_token_seconds': {
    ...live,
    ...seconds,
    default: 300,
    min: 0.05,
    max: 86_400,
    example: '60',
    sentence: 'Time within which the first part of a response must arrive.',
  },
  'gateway.idle_seconds': {
    ...live,
    ...seconds,
    default: 120,
    min: 0.05,
    max: 86_400,
    example: '30',
    sentence: 'Maximum idle time of a provider in the middle of a response.',
  },
  'gateway.total_seconds': {
    ...live,
    ...seconds,
    default: 1800,
    min: 0.05,
    max: 86_400,
    example: '600',
    sentence: 'Time within which a response must be complete.',
  },
  'gateway.keepalive_seconds': {
    ...live,
    ...seconds,
    default: 15,
    min: 0.05,
    max: 3600,
    example: '5',
    sentence: 'Idle time after which the server sends a comment line to the client of a stream.',
  },
  'gateway.rewrite_model': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence: 'Put the name of the model at this server into responses, instead of the name at the provider.',
  },
  'gateway.max_response_bytes': {
    ...live,
    ...bytes,
    default: 67_108_864,
    min: 1024,
    max: 1_073_741_824,
    example: '16777216',
    sentence: 'Maximum size of a response of a provider that is not a stream.',
  },
  'gateway.max_event_bytes': {
    ...live,
    ...bytes,
    default: 16_777_216,
    min: 1024,
    max: 1_073_741_824,
    example: '4194304',
    sentence: 'Maximum size of one event of a stream.',
  },
  'gateway.request_headers': {
    type: 'list',
    default: [],
    class: 'live',
    sentence:
      'More headers of a caller that go to the provider; a name may end with *. Credentials and headers of one connection never do.',
    example: 'x-tenant, x-trace-*',
  },
  'gateway.response_headers': {
    type: 'list',
    default: [],
    class: 'live',
    sentence: 'More headers of a provider that go to the caller; a name may end with *.',
    example: 'x-served-by',
  },

  'limits.realtime_inflight.enforce': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence: 'Limit the real-time requests in flight of each account on each model.',
  },
  'limits.realtime_inflight.default': {
    ...live,
    type: 'integer',
    unit: 'requests',
    default: 14,
    min: 1,
    max: 1_000_000,
    example: '50',
    sentence: 'In-flight limit of models and accounts that have no limit of their own.',
  },
  'limits.rates': {
    ...live,
    type: 'list',
    format: 'rate-limit',
    default: [],
    example: 'user:* requests 60/minute, user:* model:gpt-4o tokens 100000/minute burst 20000',
    sentence: 'Limits of requests and tokens in a time. All that match a request apply; * counts each one apart.',
  },
  'limits.queue.length': {
    ...live,
    type: 'integer',
    unit: 'requests',
    default: 100,
    min: 1,
    max: 10_000,
    example: '500',
    sentence: 'Requests that may wait in each process for a model or provider at its max_concurrent. More are refused.',
  },
  'limits.queue.timeout_seconds': {
    ...live,
    type: 'number',
    unit: 'seconds',
    default: 60,
    min: 0.1,
    max: 86_400,
    example: '20',
    sentence: 'Longest wait in such a queue.',
  },
  'limits.queue.batch_timeout_seconds': {
    ...live,
    type: 'number',
    unit: 'seconds',
    default: 3600,
    min: 0.1,
    max: 86_400,
    example: '600',
    sentence: 'The same for requests of the class batch.',
  },
  'limits.queue.allow_raising': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence:
      'The header x-sluice-priority may also raise a request above the class of its API key. Otherwise it only lowers.',
  },
  'limits.shared': {
    ...boot,
    type: 'string',
    values: ['memory', 'valkey', 'postgres'],
    needs: 'limits.valkey_url',
    needsFor: 'valkey',
    default: null,
    example: 'valkey',
    sentence:
      'Where several processes on one PostgreSQL lend each other parts of their limits: PostgreSQL by default, or Valkey (or Redis). memory: each process counts for itself. An SQLite file has one process, which counts in memory.',
  },
  'limits.valkey_url': {
    ...boot,
    type: 'secret',
    shownAs: 'url',
    format: 'valkey-url',
    default: null,
    example: 'valkey://:${VALKEY_PASSWORD}@valkey.example.org:6379',
    sentence: 'Valkey or Redis for limits. Nothing in it has to last.',
  },

  'failover.statuses': {
    ...live,
    type: 'integers',
    default: [500, 502, 503, 504, 529],
    min: 400,
    max: 599,
    example: '500, 503, 529',
    sentence:
      'Status codes of a provider after which a composite tries another component. 429, failed connections and time-outs always count.',
  },
  'failover.max_attempts': {
    ...live,
    type: 'integer',
    unit: 'attempts',
    default: 3,
    min: 1,
    max: 20,
    example: '5',
    sentence: 'Maximum number of calls to providers for one request to a composite.',
  },
  'failover.budget_seconds': {
    ...live,
    ...seconds,
    default: 30,
    min: 0.05,
    max: 3600,
    example: '10',
    sentence: 'Time after the first call within which a composite may start another try.',
  },
  'health.failures_to_eject': {
    ...live,
    type: 'integer',
    unit: 'failures',
    default: 5,
    min: 1,
    max: 1000,
    example: '3',
    sentence: 'Failures in a row after which a composite ejects a component for a while.',
  },
  'health.ejection_seconds': {
    ...live,
    ...seconds,
    default: 5,
    min: 0.05,
    max: 3600,
    example: '10',
    sentence: 'Length of the first ejection of a component. Each further ejection is twice as long.',
  },
  'health.ejection_max_seconds': {
    ...live,
    ...seconds,
    default: 300,
    min: 0.05,
    max: 86_400,
    example: '60',
    sentence: 'Maximum length of an ejection. Then one request tries the component again.',
  },
  'health.probe_seconds': {
    ...live,
    ...seconds,
    default: 0,
    min: 0,
    max: 86_400,
    example: '30',
    sentence:
      'How often the server asks an ejected component for its models, to see whether it works again. 0 means never.',
  },
  'health.load_seconds': {
    ...live,
    ...seconds,
    default: 2,
    min: 0,
    max: 3600,
    example: '5',
    sentence:
      'How often the server reads /metrics of model servers in a cluster, to choose by what they really have to do: vLLM, SGLang, text-generation-inference, llama.cpp. 0 means never.',
  },
  'health.lookup_seconds': {
    ...live,
    ...seconds,
    default: 10,
    min: 1,
    max: 86_400,
    example: '30',
    sentence: 'How often the server asks name servers where the servers of a provider with `dns` are.',
  },

  'generation.consumer_groups': {
    ...live,
    type: 'map',
    default: {},
    example: 'primary=llava, fast=small-vision',
    sentence:
      'Models by consumer group of the generation endpoints. A request without a group uses the group primary. Any other name is a model or an alias.',
  },
  'generation.anonymous_user': {
    ...live,
    type: 'string',
    format: 'email',
    default: null,
    example: 'vision-clients@example.org',
    sentence:
      'Account of requests to the generation endpoints without an API key. Without it, such requests are refused.',
  },
  'generation.max_image_bytes': {
    ...live,
    ...bytes,
    default: 20_971_520,
    min: 1024,
    max: 1_073_741_824,
    example: '10485760',
    sentence: 'Maximum size of an image file at the generation endpoints.',
  },
  'generation.max_image_pixels': {
    ...live,
    type: 'integer',
    unit: 'pixels',
    default: 100_000_000,
    min: 1,
    max: 1_000_000_000,
    example: '50000000',
    sentence: 'Maximum width times height of such an image, according to its header.',
  },
  'generation.max_batch': {
    ...live,
    type: 'integer',
    unit: 'prompts',
    default: 1000,
    min: 1,
    max: 100_000,
    example: '100',
    sentence: 'Maximum number of prompts in one request, or of different queries to classify by.',
  },
  'generation.request_concurrency': {
    ...live,
    type: 'integer',
    unit: 'calls',
    default: 8,
    min: 1,
    max: 1000,
    example: '16',
    sentence: 'Maximum number of prompts, or of queries to classify by, of one request that run at a provider at once.',
  },
  'generation.model_concurrency': {
    ...live,
    type: 'integer',
    unit: 'calls',
    default: 64,
    min: 1,
    max: 100_000,
    example: '256',
    sentence:
      'Maximum number of prompts of all requests to one model that run at its provider at once. Requests take turns.',
  },
  'generation.leader_first': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence:
      'Send the first prompt about an image alone, and the others when its response has begun. This helps engines that would otherwise encode the image for each prompt.',
  },
  'generation.chat_template': {
    ...live,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence: 'Apply the chat template of the model to text prompts when the request does not decide.',
  },
  'generation.image_roots': {
    ...boot,
    type: 'list',
    default: [],
    example: '/srv/images',
    sentence:
      'Directories of this machine from which the image_paths of a request may be read. Without it, such requests are refused.',
  },

  'documents.max_file_bytes': {
    ...live,
    ...bytes,
    default: 52_428_800,
    min: 1,
    max: 2_147_483_647,
    example: '104857600',
    sentence: 'Maximum size of an imported file.',
  },
  'documents.max_body_bytes': {
    ...live,
    ...bytes,
    default: 134_217_728,
    min: 1024,
    max: 2_147_483_647,
    example: '268435456',
    sentence: 'Maximum size of an import request. Base64 makes a file a third larger.',
  },
  'documents.bytes_in_flight': {
    ...boot,
    ...bytes,
    default: 134_217_728,
    min: 1_048_576,
    max: 17_179_869_184,
    example: '536870912',
    sentence:
      'Maximum size of all import requests in memory at once, half of it for one user. Further requests wait. A single request is always accepted.',
  },
  'documents.categories': {
    ...live,
    type: 'list',
    default: [],
    example: 'handbooks, contracts',
    sentence: 'Categories that documents may have. An empty list allows all.',
  },
  'documents.import_roots': {
    ...boot,
    type: 'list',
    default: [],
    example: '/srv/documents',
    sentence:
      'Directories of this machine from which the path of a file item may be read. Without it, such items are invalid.',
  },
  'documents.max_backlog': {
    ...live,
    type: 'integer',
    unit: 'documents',
    default: 100_000,
    min: 1,
    max: 100_000_000,
    example: '10000',
    sentence: 'Maximum number of documents that wait or are being processed. Beyond it, imports are refused with 503.',
  },
  'documents.wait_seconds': {
    ...live,
    ...seconds,
    default: 120,
    min: 0,
    max: 3600,
    example: '30',
    sentence: 'Maximum time that a request with wait_for_completion waits.',
  },
  'documents.max_attempts': {
    ...live,
    type: 'integer',
    unit: 'attempts',
    default: 3,
    min: 1,
    max: 100,
    example: '5',
    sentence:
      'Number of tries before a document fails, when its embedder or another service does not work or its reading process is ended from outside.',
  },
  'documents.max_crashes': {
    ...live,
    type: 'integer',
    unit: 'crashes',
    default: 10,
    min: 1,
    max: 1000,
    example: '3',
    sentence:
      'Number of times that servers may crash or be killed while they work on a document before it fails as crashed. A stop of the server does not count.',
  },
  'documents.lease_seconds': {
    ...boot,
    ...seconds,
    default: 10,
    min: 1,
    max: 3600,
    example: '30',
    sentence: 'Time without a heartbeat after which another process takes over the documents of a process.',
  },
  'documents.concurrency': {
    ...boot,
    type: 'integer',
    unit: 'documents',
    default: 48,
    min: 0,
    max: 1000,
    example: '4',
    sentence: 'Maximum number of documents that this process works on at once. 0 leaves them to other processes.',
  },
  'documents.reader_processes': {
    ...boot,
    type: 'integer',
    unit: 'processes',
    default: 2,
    min: 1,
    max: 64,
    example: '4',
    sentence: 'Number of processes that read files. Each process reads one file at a time.',
  },
  'documents.read_seconds': {
    ...live,
    ...seconds,
    default: 8,
    min: 1,
    max: 3600,
    example: '30',
    sentence:
      'CPU time for reading and chunking a file, plus one second for each MiB. Waiting for a busy machine does not count.',
  },
  'documents.read_memory_bytes': {
    ...live,
    ...bytes,
    default: 1_073_741_824,
    min: 134_217_728,
    max: 68_719_476_736,
    example: '805306368',
    sentence: 'Memory limit of a process that reads a file. Beyond it, the process is ended and the file fails.',
  },
  'documents.max_pages': {
    ...live,
    type: 'integer',
    unit: 'pages',
    default: 20_000,
    min: 1,
    max: 1_000_000,
    example: '5000',
    sentence: 'Maximum number of pages, slides or sheets of a file.',
  },
  'documents.max_text_characters': {
    ...live,
    type: 'integer',
    unit: 'characters',
    default: 50_000_000,
    min: 1000,
    max: 200_000_000,
    example: '10000000',
    sentence: 'Maximum length of the text of a file.',
  },
  'documents.max_unpacked_bytes': {
    ...live,
    ...bytes,
    default: 268_435_456,
    min: 1_048_576,
    max: 4_294_967_296,
    example: '536870912',
    sentence: 'Maximum size of a packed file (Office, OpenDocument, EPUB) after unpacking.',
  },
  'documents.reader': {
    ...live,
    type: 'string',
    default: 'auto',
    example: 'text',
    sentence: 'Default reader of imports. auto chooses a reader by content.',
  },
  'documents.readers': {
    ...boot,
    type: 'secret',
    format: 'external-readers',
    default: null,
    example: '[{"name":"layout","kind":"docling","url":"http://docling:5001","types":["pdf","image/*"]}]',
    sentence:
      'Readers on other servers (docling-serve, Apache Tika, Unstructured) and the types of files that they read, as a list of mappings with `name`, `kind`, `url`, `types`, `credential`, `seconds` and `fields` (in the environment: as JSON).',
  },
  'documents.chunker': {
    ...live,
    type: 'string',
    default: 'token',
    example: 'sentence',
    sentence: 'Default chunker of imports.',
  },
  'documents.embedder': {
    ...live,
    type: 'string',
    default: 'hashing',
    example: 'text-embedding-3-small',
    sentence:
      'Default embedder of imports: hashing (built in: words, not meaning), local, or an embedding model of this gateway.',
  },
  'documents.vision_model': {
    ...live,
    type: 'string',
    default: null,
    example: 'gpt-4o-mini',
    sentence: 'Multimodal model of this gateway that reads pictures and scanned pages. Without it, they give no text.',
  },
  'documents.transcription_model': {
    ...live,
    type: 'string',
    default: null,
    example: 'whisper-1',
    sentence: 'Transcription model of this gateway that writes down sound and video. Without it, they are refused.',
  },
  'documents.transcription_part_bytes': {
    ...live,
    ...bytes,
    default: 25_000_000,
    min: 65_536,
    max: 1_073_741_824,
    example: '100000000',
    sentence:
      'What the transcription model takes in one request. Longer MP3 and WAV files are sent in parts, of at most 20 minutes; others are refused. server.max_body_bytes must have room for it.',
  },
  'documents.ocr.enabled': {
    ...live,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence:
      'Recognises the text of pictures and of scanned pages on this server, where the package tesseract.js-core is installed and no vision model reads them.',
  },
  'documents.ocr.languages': {
    ...live,
    type: 'list',
    format: 'ocr-language',
    default: ['eng'],
    example: 'deu, eng',
    sentence:
      'Languages of recognised text by Tesseract’s names, the most frequent first. Each makes recognition slower. Language data comes from the package @tesseract.js-data/<name> or from documents.ocr.language_dir.',
  },
  'documents.ocr.language_dir': {
    ...live,
    type: 'string',
    default: null,
    example: '/usr/share/tesseract-ocr/5/tessdata',
    sentence: 'Directory of further language data, as <name>.traineddata or <name>.traineddata.gz.',
  },
  'documents.ocr.max_pages': {
    ...live,
    type: 'integer',
    unit: 'pages',
    default: 500,
    min: 1,
    max: 20_000,
    example: '50',
    sentence:
      'Pages and pictures of one file whose text is recognised. Each takes seconds; the others are left out with a warning.',
  },
  'documents.rerank_model': {
    ...live,
    type: 'string',
    default: null,
    example: 'bge-reranker-v2-m3',
    sentence:
      'Rerank model of this gateway that orders what searches and chats over documents have found, for users who may use it. Without it, nothing does.',
  },
  'documents.rewrite_model': {
    ...live,
    type: 'string',
    default: null,
    example: 'gpt-5-mini',
    sentence:
      'Chat model of this gateway that writes, from the conversation, what chats over documents search for, for users who may use it. Without it, the last message is searched for as it is.',
  },
  'documents.model_seconds': {
    ...live,
    ...seconds,
    default: 10,
    min: 0.1,
    max: 600,
    example: '3',
    sentence:
      'How long a search waits for a model: for the question that one writes, for its vector, and for the rerank model. Then it goes on without it, with a warning.',
  },
  'documents.embed_batch': {
    ...live,
    type: 'integer',
    unit: 'texts',
    default: 64,
    min: 1,
    max: 2048,
    example: '256',
    sentence: 'Maximum number of texts in one call to an embedding model.',
  },
  'documents.embed_concurrency': {
    ...live,
    type: 'integer',
    unit: 'calls',
    default: 4,
    min: 1,
    max: 256,
    example: '8',
    sentence: 'Maximum number of calls for documents that run at one embedding model at once.',
  },
  'documents.local_model_dir': {
    ...boot,
    type: 'string',
    default: null,
    example: '/var/lib/sluice/models/all-MiniLM-L6-v2',
    sentence: 'Directory of the ONNX model of the embedder local.',
  },
  'documents.vector_index': {
    ...live,
    type: 'string',
    values: ['auto', 'memory', 'pgvector', 'qdrant'],
    default: 'auto',
    example: 'pgvector',
    sentence:
      'Where vectors are searched: in memory, by pgvector in the database (PostgreSQL only), or by a Qdrant server. auto is pgvector from 200,000 chunks on where the extension is installed, otherwise memory. After a change they move in the background, and are found all the while.',
  },
  'documents.qdrant_url': {
    ...boot,
    type: 'string',
    format: 'http-url',
    default: null,
    example: 'http://qdrant:6333',
    sentence:
      'URL of a Qdrant server (1.10 or newer) for documents.vector_index. It gets vectors and numbers, no text.',
  },
  'documents.qdrant_api_key': {
    ...boot,
    type: 'secret',
    default: null,
    needs: 'documents.qdrant_url',
    example: 'QDRANT-EXAMPLE-KEY',
    sentence: 'API key of that server.',
  },
  'documents.qdrant_collections': {
    ...boot,
    type: 'string',
    default: 'sluice',
    example: 'sluice-staging',
    sentence:
      'What the names of the collections in that server begin with. Installations that share a server need different ones.',
  },
  'documents.blobs': {
    ...boot,
    type: 'string',
    values: ['auto', 'directory', 's3', 'database'],
    default: 'auto',
    example: 'directory',
    sentence:
      'Where imported files are stored: in data_dir, in an S3-compatible store, or in the database (PostgreSQL only). auto is s3 when documents.s3_url is set, otherwise the database on PostgreSQL and data_dir on SQLite.',
  },
  'documents.s3_url': {
    ...boot,
    type: 'string',
    format: 'http-url',
    default: null,
    needs: 'documents.s3_bucket',
    example: 'https://s3.eu-central-1.amazonaws.com',
    sentence: 'URL of an S3-compatible store for imported files.',
  },
  'documents.s3_bucket': {
    ...boot,
    type: 'string',
    default: null,
    needs: 'documents.s3_access_key_id',
    example: 'sluice-documents',
    sentence: 'Bucket in that store.',
  },
  'documents.s3_region': {
    ...boot,
    type: 'string',
    default: null,
    needs: 'documents.s3_url',
    example: 'eu-central-1',
    sentence: 'Region of that store. The default is the region in the URL of an AWS store, otherwise auto.',
  },
  'documents.s3_access_key_id': {
    ...boot,
    type: 'string',
    default: null,
    needs: 'documents.s3_secret_access_key',
    example: 'AKIAIOSFODNN7EXAMPLE',
    sentence: 'Access key id of that store.',
  },
  'documents.s3_secret_access_key': {
    ...boot,
    type: 'secret',
    default: null,
    needs: 'documents.s3_url',
    example: 'wJalrXUtnFEMI-EXAMPLEKEY',
    sentence: 'Secret access key of that store.',
  },

  'embeddings.join_milliseconds': {
    ...live,
    type: 'integer',
    unit: 'milliseconds',
    default: 3,
    min: 0,
    max: 1000,
    example: '10',
    sentence:
      'Time that a small embeddings request waits for others of its model, to share one call with them, while the provider is busy. 0 turns this off.',
  },
  'embeddings.join_items_max': {
    ...live,
    type: 'integer',
    unit: 'inputs',
    default: 64,
    min: 2,
    max: 2048,
    example: '256',
    sentence:
      'Maximum number of inputs in one shared embeddings call. A request with more than half as many gets a call of its own.',
  },

  'realtime.max_message_bytes': {
    ...boot,
    ...bytes,
    default: 16 * 1024 * 1024,
    min: 1024,
    max: 256 * 1024 * 1024,
    example: '1048576',
    sentence: 'Largest message of a realtime session, in either direction. A larger one ends the session.',
  },
  'realtime.buffer_bytes': {
    ...live,
    ...bytes,
    default: 1024 * 1024,
    min: 1024,
    max: 256 * 1024 * 1024,
    example: '4194304',
    sentence:
      'How much of a realtime session may wait for a side that reads slowly, in each direction, before the other side is not read any more.',
  },
  'realtime.idle_seconds': {
    ...boot,
    type: 'integer',
    unit: 'seconds',
    default: 60,
    min: 10,
    max: 960,
    example: '30',
    sentence:
      'A realtime session ends when its client or its provider answers no ping for this long, or reads nothing of what waits for it.',
  },
  'files.max_bytes': {
    ...live,
    ...bytes,
    default: 536_870_912,
    min: 1,
    max: 1_099_511_627_776,
    example: '1073741824',
    sentence: 'Maximum size of a file that is uploaded to /ai/v1/files.',
  },
  'files.account_bytes_max': {
    ...live,
    ...bytes,
    default: 10_737_418_240,
    min: 1,
    max: 1_099_511_627_776,
    example: '107374182400',
    sentence: 'Most bytes of files that one account may have.',
  },
  'batches.max_lines': {
    ...live,
    type: 'integer',
    unit: 'lines',
    default: 50_000,
    min: 1,
    max: 1_000_000,
    example: '100000',
    sentence: 'Most requests in one batch.',
  },
  'batches.max_file_bytes': {
    ...live,
    ...bytes,
    default: 209_715_200,
    min: 1,
    max: 1_099_511_627_776,
    example: '536870912',
    sentence: 'Maximum size of the input file of a batch.',
  },
  'batches.open_max': {
    ...live,
    type: 'integer',
    unit: 'batches',
    default: 200,
    min: 1,
    max: 100_000,
    example: '1000',
    sentence: 'Most batches of one account that have not ended.',
  },
  'batches.async_max': {
    ...live,
    type: 'integer',
    unit: 'requests',
    default: 1000,
    min: 1,
    max: 100_000,
    example: '5000',
    sentence: 'Most async requests (`prefer: respond-async`) of one account that have not ended.',
  },
  'batches.concurrency': {
    ...live,
    type: 'integer',
    unit: 'requests',
    default: 64,
    min: 0,
    max: 10_000,
    example: '256',
    sentence:
      'Most requests of batches that this process has under way at once on one model; how many it has, it finds out by how the model answers. 0 leaves batches to other processes.',
  },
  'batches.lease_seconds': {
    ...boot,
    ...seconds,
    default: 15,
    min: 1,
    max: 3600,
    example: '30',
    sentence: 'Time without a heartbeat after which another process takes over the lines of a process.',
  },
  'batches.native_poll_seconds': {
    ...live,
    ...seconds,
    default: 60,
    min: 0.05,
    max: 3600,
    example: '300',
    sentence: 'How often a provider is asked for the state of a batch of its own.',
  },
  'batches.retention_days': {
    ...live,
    type: 'integer',
    unit: 'days',
    default: 30,
    min: 1,
    max: 3650,
    example: '90',
    sentence:
      'How long batches that have ended are listed, and how long their files and those that were uploaded for them are kept when the request does not say.',
  },
  'documents.import_urls': {
    ...live,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence: 'Whether imports may name web addresses, which the server fetches.',
  },
  'documents.urls_allow_private': {
    ...boot,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence:
      'Whether every user who may import documents may have the server fetch private addresses: loopback, the networks of this machine, and others that are not on the internet.',
  },
  'documents.sources_allow_private': {
    ...boot,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence:
      'Whether sources may be at private addresses: loopback, the networks of this machine, and others that are not on the internet.',
  },
  'documents.source_timeout_seconds': {
    ...live,
    ...seconds,
    default: 60,
    min: 0.1,
    max: 3600,
    example: '300',
    sentence:
      'Longest time for one answer of a source: a page of its list, or a file; and for a web address of an import.',
  },
  'webhooks.allow_private': {
    ...boot,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence:
      'Whether webhooks may go to private addresses: loopback, the networks of this machine, and others that are not on the internet.',
  },
  'webhooks.timeout_seconds': {
    ...live,
    ...seconds,
    default: 15,
    min: 0.1,
    max: 120,
    example: '30',
    sentence: 'Longest time for one attempt to deliver a webhook, from connecting to the end of the answer.',
  },
  'webhooks.retry_hours': {
    ...live,
    type: 'number',
    unit: 'hours',
    default: 72,
    min: 0.01,
    max: 720,
    example: '24',
    sentence:
      'How long a webhook is tried again. An endpoint at which every attempt has failed for that long is switched off.',
  },
  'webhooks.retention_days': {
    ...live,
    type: 'integer',
    unit: 'days',
    default: 30,
    min: 1,
    max: 3650,
    example: '90',
    sentence: 'How long deliveries that have ended stay in the log, from which they can be replayed.',
  },
  'webhooks.key_expiry_days': {
    ...live,
    type: 'integer',
    unit: 'days',
    default: 7,
    min: 1,
    max: 90,
    example: '14',
    sentence: 'How long before an API key expires the event key.expiring is sent.',
  },
  'responses.keep': {
    ...live,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence:
      'Keeps the answers of the Responses API for models whose provider has no such API, sealed with the secret key.',
  },
  'responses.account_bytes_max': {
    ...live,
    ...bytes,
    default: 268_435_456,
    min: 1_048_576,
    max: 1_099_511_627_776,
    example: '1073741824',
    sentence:
      'Most bytes of responses and conversations that the server keeps for one account. What was not used for the longest time is removed first.',
  },
  'responses.background_max': {
    ...live,
    type: 'integer',
    default: 100,
    min: 0,
    max: 10_000,
    example: '20',
    sentence: 'Most responses that one process makes in the background at the same time.',
  },
  'responses.retention_days': {
    ...live,
    type: 'integer',
    unit: 'days',
    default: 30,
    min: 1,
    max: 36_500,
    example: '90',
    sentence:
      'How long the server keeps responses and conversations that nobody uses, and remembers which provider stores a response.',
  },

  'exports.schedule': {
    ...live,
    type: 'string',
    values: ['off', 'daily', 'monthly'],
    default: 'off',
    example: 'monthly',
    sentence: 'Writes usage and cost of each day or month to files, where the files of documents are.',
  },
  'exports.hour': {
    ...live,
    type: 'integer',
    unit: 'hours',
    default: 3,
    min: 1,
    max: 72,
    example: '6',
    sentence: 'How long after the end of a day or month its files are made.',
  },
  'exports.time_zone': {
    ...live,
    type: 'string',
    format: 'hour-time-zone',
    default: 'UTC',
    example: 'Europe/Berlin',
    sentence: 'Time zone in which days and months of exports begin; whole hours from UTC.',
  },
  'exports.formats': {
    ...live,
    type: 'list',
    format: 'export-format',
    default: ['csv', 'parquet'],
    example: 'parquet',
    sentence: 'Formats of the files: csv, parquet.',
  },

  'content_log.enabled': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence:
      'Stores the prompts and answers of the models, groups and keys that the next three settings name, sealed with the secret key.',
  },
  'content_log.models': {
    ...live,
    type: 'list',
    default: [],
    example: 'support-chat, gpt-4o',
    sentence: 'Names of the models whose content is logged; * for all models.',
  },
  'content_log.groups': {
    ...live,
    type: 'list',
    default: [],
    example: 'support',
    sentence: 'Names of the groups whose members have their content logged, whatever the model.',
  },
  'content_log.keys': {
    ...live,
    type: 'list',
    default: [],
    example: '0b7f6c1e-52a1-4b0e-9a53-0c9d7d9f2d11',
    sentence: 'Ids of the API keys whose content is logged, whatever the model.',
  },
  'content_log.redact': {
    ...live,
    type: 'list',
    format: 'redaction',
    default: ['secrets', 'email', 'cards'],
    example: 'secrets, cards',
    sentence:
      'What is cut out before content is written: secrets (keys and tokens), email, cards (numbers that pass the Luhn check).',
  },
  'content_log.redact_patterns': {
    ...live,
    type: 'list',
    format: 'redaction-pattern',
    default: [],
    example: 'EMP-[0-9]{6}',
    sentence:
      'Regular expressions of what else is cut out. They match in linear time: no look-around, no back-references, no anchors.',
  },
  'content_log.max_bytes': {
    ...live,
    ...bytes,
    default: 262_144,
    min: 1024,
    max: 2_097_152,
    example: '65536',
    sentence: 'Most bytes of a prompt and of an answer that are stored; the rest is cut off.',
  },
  'content_log.total_bytes_max': {
    ...live,
    ...bytes,
    default: 10_737_418_240,
    min: 1_048_576,
    max: 1_099_511_627_776,
    example: '1073741824',
    sentence: 'Most bytes of all logged content together. The oldest is removed first.',
  },
  'content_log.retention_days': {
    ...live,
    type: 'integer',
    unit: 'days',
    default: 30,
    min: 1,
    max: 3650,
    example: '14',
    sentence: 'How long logged content is kept.',
  },

  'audit.retention_days': {
    ...live,
    type: 'integer',
    unit: 'days',
    default: 365,
    min: 1,
    max: 36_500,
    example: '730',
    sentence: 'How long the audit log keeps what administrators changed and who signed in.',
  },

  'usage.retention_days': {
    ...live,
    type: 'integer',
    unit: 'days',
    default: 90,
    min: 1,
    max: 36_500,
    example: '365',
    sentence: 'Time for which usage records are kept.',
  },
  'usage.queue_max': {
    ...boot,
    type: 'integer',
    unit: 'records',
    default: 20_000,
    min: 1,
    max: 10_000_000,
    example: '100000',
    sentence: 'Maximum number of usage records that wait in memory for the database.',
  },
  'usage.flush_milliseconds': {
    ...boot,
    type: 'integer',
    unit: 'milliseconds',
    default: 1000,
    min: 1,
    max: 600_000,
    example: '5000',
    sentence: 'Interval at which waiting usage records are written to the database.',
  },

  'log.requests': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence: 'Log a line for each call of a model when it has ended, with what its usage record holds.',
  },
  'metrics.require_key': {
    ...boot,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence: "Require an administrator's API key at /metrics.",
  },
  'metrics.gen_ai': {
    ...boot,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence: "Add metrics under the names of OpenTelemetry's conventions for generative AI.",
  },

  'traces.otlp_url': {
    ...boot,
    type: 'string',
    format: 'http-url',
    default: null,
    example: 'http://otel-collector:4318',
    sentence: 'Base address of a collector that takes traces by OTLP over HTTP. Without it, no traces are made.',
  },
  'traces.otlp_protocol': {
    ...boot,
    type: 'string',
    values: ['http/protobuf', 'http/json'],
    default: 'http/protobuf',
    example: 'http/json',
    sentence: 'The form in which traces are sent to that collector.',
  },
  'traces.otlp_headers': {
    ...boot,
    type: 'secret',
    default: null,
    needs: 'traces.otlp_url',
    example: 'authorization=Bearer EXAMPLE',
    sentence: 'Headers for that collector: name=value, separated by commas.',
  },
  'traces.sample_ratio': {
    ...live,
    type: 'number',
    default: 0.01,
    min: 0,
    max: 1,
    example: '0.1',
    sentence:
      'Share of the traces that are recorded. A trace that a client has begun keeps its own decision, and requests that fail by a fault of Sluice or a provider are always recorded.',
  },

  'discovery.enabled': {
    ...boot,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence:
      'At the first start, look for model servers on this machine and for API keys of vendors in the environment, and print how to add them.',
  },

  'cluster.replica_timeout_seconds': {
    ...boot,
    ...seconds,
    default: 5,
    min: 0.1,
    max: 300,
    example: '10',
    sentence: 'Time without a heartbeat after which another process on the same database counts as gone.',
  },
  'cluster.outage_grace_seconds': {
    ...boot,
    ...seconds,
    default: 0,
    min: 0,
    max: 3600,
    example: '60',
    sentence:
      'How much longer a process that cannot reach PostgreSQL answers AI requests from memory; changes made elsewhere wait for it.',
  },
  'prices.currency': {
    ...boot,
    type: 'string',
    default: 'USD',
    format: 'currency',
    example: 'EUR',
    sentence: 'The currency of all prices, costs and budgets, for display; amounts are not converted when it changes.',
  },
  'prices.catalogue': {
    ...live,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence:
      "Whether models of known vendors have the vendor's list price until another one is set; only with USD as the currency.",
  },
} as const satisfies Record<string, SettingRecord>

export type SettingName = keyof typeof settingRecords

type ValueByType = {
  string: string
  integer: number
  number: number
  duration: number
  boolean: boolean
  secret: Secret
  list: readonly string[]
  integers: readonly number[]
  map: Readonly<Record<string, string>>
}

type ValueOf<R extends SettingRecord> =
  | (R extends { readonly values: readonly (infer V)[] } ? V : ValueByType[R['type']])
  | (R['default'] extends null ? null : never)

/** Checked values by dotted name; null = not set and without a default. Frozen. */
export type Settings = { readonly [N in SettingName]: ValueOf<(typeof settingRecords)[N]> }

export type SettingValue = Settings[SettingName] | readonly string[] | readonly number[]

/** All names, in the order of the table. */
export const settingNames = Object.keys(settingRecords) as readonly SettingName[]

/** Whether a text is the dotted name of a setting. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingRecords, name)
}

/** The record of a setting, with the type that all records share. */
export function recordOf(name: SettingName): SettingRecord {
  return settingRecords[name]
}

/** The environment variable that sets a setting: `server.port` is `SLUICE_SERVER_PORT`. */
export function variableOf(name: SettingName): string {
  return `SLUICE_${name.toUpperCase().replaceAll('.', '_')}`
}
