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
    sentence: 'Directory for everything that Sluice writes; made when it is missing.',
  },

  'server.host': {
    ...boot,
    type: 'string',
    format: 'host',
    default: '127.0.0.1',
    example: '0.0.0.0',
    sentence: 'Address to listen on; 0.0.0.0 or :: opens the server to other machines.',
  },
  'server.port': {
    ...boot,
    type: 'integer',
    default: 3001,
    min: 0,
    max: 65535,
    example: '8080',
    sentence: 'Port to listen on; 0 takes any free one.',
  },
  'server.public_url': {
    ...boot,
    type: 'string',
    format: 'http-url',
    default: null,
    example: 'https://ai.example.org',
    sentence: 'Address under which users reach this server, as shown to them in examples.',
  },
  'server.trusted_proxies': {
    ...boot,
    type: 'list',
    format: 'network',
    default: [],
    example: '10.0.0.0/8, fd00::/8',
    sentence:
      'Proxies whose Forwarded or X-Forwarded-For header tells the address of the client; without them every client behind a proxy has the address of the proxy.',
  },
  'server.drain_seconds': {
    ...boot,
    ...seconds,
    default: 30,
    min: 0,
    max: 3600,
    example: '60',
    sentence: 'How long a stopping server waits for running requests before it ends them.',
  },
  'server.max_body_bytes': {
    ...boot,
    ...bytes,
    default: 33_554_432,
    min: 1024,
    max: 1_073_741_824,
    example: '67108864',
    sentence: 'Largest request body that is accepted.',
  },
  'server.body_read_seconds': {
    ...boot,
    ...seconds,
    default: 30,
    min: 0.1,
    max: 3600,
    example: '60',
    sentence: 'Time within which a request body must have arrived in full.',
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
    sentence: 'Database to use; without it a SQLite file sluice.db in data_dir.',
  },
  'database.pool_max': {
    ...boot,
    type: 'integer',
    unit: 'connections',
    default: 10,
    min: 1,
    max: 1000,
    example: '20',
    sentence: 'Largest number of PostgreSQL connections that one process holds.',
  },

  'security.secret_key': {
    ...boot,
    type: 'secret',
    format: 'key-32',
    default: null,
    example: exampleSecretKey,
    sentence:
      'Key that seals stored credentials; without it one is made at the first start, in secret.key in data_dir. Make one with "openssl rand -base64 32": the example is refused.',
  },

  'log.level': {
    ...boot,
    type: 'string',
    values: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    example: 'debug',
    sentence: 'Least important kind of log line that is written.',
  },
  'log.format': {
    ...boot,
    type: 'string',
    values: ['json', 'text'],
    default: 'json',
    example: 'text',
    sentence: 'Form of the log lines: one JSON object each, or text for people.',
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
      'Failed sign-ins in a row, at one account from one address or browser, after which the next one has to wait.',
  },
  'auth.sign_in_lock_seconds': {
    ...live,
    ...seconds,
    default: 60,
    min: 0.1,
    max: 86_400,
    example: '300',
    sentence: 'How long the first such wait is; each further failure doubles it, up to 15 minutes.',
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
    sentence: 'OpenID Connect issuer that users can sign in with; none = password only.',
  },
  'auth.oidc.client_id': {
    ...boot,
    type: 'string',
    default: null,
    example: 'sluice',
    sentence: 'Client id that the issuer has given to this server.',
  },
  'auth.oidc.client_secret': {
    ...boot,
    type: 'secret',
    default: null,
    example: 'kTq1EXAMPLE0secret',
    sentence: 'Client secret that belongs to it; none = a public client, which only PKCE protects.',
  },
  'auth.oidc.scopes': {
    ...boot,
    type: 'list',
    default: ['openid', 'profile', 'email'],
    example: 'openid, profile, email, groups',
    sentence: 'Scopes that are asked for; openid always is.',
  },
  'auth.oidc.button_label': {
    ...live,
    type: 'string',
    default: 'Single sign-on',
    example: 'Example account',
    sentence: 'What the button on the sign-in page reads after "Sign in with".',
  },
  'auth.oidc.auto_create': {
    ...live,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence: 'Create an account at the first sign-in of somebody who has none.',
  },
  'auth.oidc.allowed_domains': {
    ...live,
    type: 'list',
    default: [],
    example: 'example.org, example.com',
    sentence: 'The only e-mail domains whose accounts may sign in with the issuer; none = any.',
  },
  'auth.oidc.trust_email': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence:
      'Take e-mail addresses for verified although the issuer does not say so; only where no user can choose their own.',
  },
  'auth.oidc.groups_claim': {
    ...live,
    type: 'string',
    default: 'groups',
    example: 'realm_access.roles',
    sentence: 'Claim that lists the groups of a user; dots lead into nested claims.',
  },
  'auth.oidc.group_map': {
    ...live,
    type: 'map',
    default: {},
    example: '0760b6cf-170e-4a14-91b3-4b78e0739963=research',
    sentence: 'Names of groups here by values of that claim; a value that is not listed means the group of that name.',
  },
  'auth.oidc.admin_groups': {
    ...live,
    type: 'list',
    default: [],
    example: 'sluice-admins',
    sentence: 'Values of that claim that make a user an administrator.',
  },

  'gateway.connect_seconds': {
    ...live,
    ...seconds,
    default: 10,
    min: 0.05,
    max: 3600,
    example: '5',
    sentence: 'Time within which a provider must have accepted the connection.',
  },
  'gateway.first_token_seconds': {
    ...live,
    ...seconds,
    default: 300,
    min: 0.05,
    max: 86_400,
    example: '60',
    sentence: 'Time within which the first piece of an answer must have come.',
  },
  'gateway.idle_seconds': {
    ...live,
    ...seconds,
    default: 120,
    min: 0.05,
    max: 86_400,
    example: '30',
    sentence: 'Longest silence of a provider in the middle of an answer.',
  },
  'gateway.total_seconds': {
    ...live,
    ...seconds,
    default: 1800,
    min: 0.05,
    max: 86_400,
    example: '600',
    sentence: 'Time within which an answer must be complete.',
  },
  'gateway.keepalive_seconds': {
    ...live,
    ...seconds,
    default: 15,
    min: 0.05,
    max: 3600,
    example: '5',
    sentence: 'Silence after which a comment line is sent to the client of a stream.',
  },
  'gateway.rewrite_model': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence: "Answer with the gateway's name of the model in place of the provider's own.",
  },
  'gateway.max_response_bytes': {
    ...live,
    ...bytes,
    default: 67_108_864,
    min: 1024,
    max: 1_073_741_824,
    example: '16777216',
    sentence: 'Largest answer of a provider that is not a stream.',
  },
  'gateway.max_event_bytes': {
    ...live,
    ...bytes,
    default: 16_777_216,
    min: 1024,
    max: 1_073_741_824,
    example: '4194304',
    sentence: 'Largest single event of a stream.',
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
    sentence: 'Limit how many real-time requests of one account run on one model at once.',
  },
  'limits.realtime_inflight.default': {
    ...live,
    type: 'integer',
    unit: 'requests',
    default: 14,
    min: 1,
    max: 1_000_000,
    example: '50',
    sentence: 'That limit for models and accounts without one of their own.',
  },

  'failover.statuses': {
    ...live,
    type: 'integers',
    default: [500, 502, 503, 504, 529],
    min: 400,
    max: 599,
    example: '500, 503, 529',
    sentence:
      'Statuses of a provider after which another component of a composite is tried; besides 429, and failures to connect or to answer in time.',
  },
  'failover.max_attempts': {
    ...live,
    type: 'integer',
    unit: 'attempts',
    default: 3,
    min: 1,
    max: 20,
    example: '5',
    sentence: 'Most calls to providers that one request of a composite makes.',
  },
  'failover.budget_seconds': {
    ...live,
    ...seconds,
    default: 30,
    min: 0.05,
    max: 3600,
    example: '10',
    sentence: 'Time since the first call after which a request of a composite is not tried again.',
  },
  'health.failures_to_eject': {
    ...live,
    type: 'integer',
    unit: 'failures',
    default: 5,
    min: 1,
    max: 1000,
    example: '3',
    sentence: 'Failures in a row after which a component is left out for a while.',
  },
  'health.ejection_seconds': {
    ...live,
    ...seconds,
    default: 5,
    min: 0.05,
    max: 3600,
    example: '10',
    sentence: 'How long a component is left out the first time; each further time it is twice as long.',
  },
  'health.ejection_max_seconds': {
    ...live,
    ...seconds,
    default: 300,
    min: 0.05,
    max: 86_400,
    example: '60',
    sentence: 'Longest time that a component is left out before one request tries it again.',
  },
  'health.probe_seconds': {
    ...live,
    ...seconds,
    default: 0,
    min: 0,
    max: 86_400,
    example: '30',
    sentence: 'How often a component that is left out is asked for its models to see whether it is back; 0 = never.',
  },

  'generation.consumer_groups': {
    ...live,
    type: 'map',
    default: {},
    example: 'primary=llava, fast=small-vision',
    sentence:
      'Models that the consumer groups of the generation endpoints stand for; a request without one asks for the group primary. Other names are taken as those of a model or an alias.',
  },
  'generation.anonymous_user': {
    ...live,
    type: 'string',
    format: 'email',
    default: null,
    example: 'vision-clients@example.org',
    sentence: 'Account for requests to the generation endpoints that carry no API key; without it they are refused.',
  },
  'generation.max_image_bytes': {
    ...live,
    ...bytes,
    default: 20_971_520,
    min: 1024,
    max: 1_073_741_824,
    example: '10485760',
    sentence: 'Largest image file that the generation endpoints take.',
  },
  'generation.max_image_pixels': {
    ...live,
    type: 'integer',
    unit: 'pixels',
    default: 100_000_000,
    min: 1,
    max: 1_000_000_000,
    example: '50000000',
    sentence: 'Largest width times height of such an image, as its header says it.',
  },
  'generation.max_batch': {
    ...live,
    type: 'integer',
    unit: 'prompts',
    default: 1000,
    min: 1,
    max: 100_000,
    example: '100',
    sentence: 'Most prompts that one request may hold.',
  },
  'generation.request_concurrency': {
    ...live,
    type: 'integer',
    unit: 'calls',
    default: 8,
    min: 1,
    max: 1000,
    example: '16',
    sentence: 'Most prompts of one request that are with a provider at once.',
  },
  'generation.model_concurrency': {
    ...live,
    type: 'integer',
    unit: 'calls',
    default: 64,
    min: 1,
    max: 100_000,
    example: '256',
    sentence: 'Most prompts of all requests to one model that are with its provider at once; requests take turns.',
  },
  'generation.leader_first': {
    ...live,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence:
      'Send the first prompt of an image ahead and the others when it has begun to answer, for engines that would otherwise encode the image once for each.',
  },
  'generation.chat_template': {
    ...live,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence: "Whether text prompts go through the model's chat template when the request does not say.",
  },
  'generation.image_roots': {
    ...boot,
    type: 'list',
    default: [],
    example: '/srv/images',
    sentence:
      'Directories of this machine below which the image_paths of a request may lie; none = such requests are refused.',
  },

  'documents.max_file_bytes': {
    ...live,
    ...bytes,
    default: 52_428_800,
    min: 1,
    max: 2_147_483_647,
    example: '104857600',
    sentence: 'Largest file that can be imported.',
  },
  'documents.max_body_bytes': {
    ...live,
    ...bytes,
    default: 134_217_728,
    min: 1024,
    max: 2_147_483_647,
    example: '268435456',
    sentence: 'Largest body of an import request; base64 makes a file a third larger.',
  },
  'documents.bytes_in_flight': {
    ...boot,
    ...bytes,
    default: 134_217_728,
    min: 1_048_576,
    max: 17_179_869_184,
    example: '536870912',
    sentence:
      'Most bytes of import requests that are in memory at once; further requests wait their turn. One request alone may always pass.',
  },
  'documents.categories': {
    ...live,
    type: 'list',
    default: [],
    example: 'handbooks, contracts',
    sentence: 'The only categories that documents may have; none = any.',
  },
  'documents.import_roots': {
    ...boot,
    type: 'list',
    default: [],
    example: '/srv/documents',
    sentence: 'Directories of this machine below which the path of a file item may lie; none = such items are invalid.',
  },
  'documents.max_backlog': {
    ...live,
    type: 'integer',
    unit: 'documents',
    default: 100_000,
    min: 1,
    max: 100_000_000,
    example: '10000',
    sentence: 'Documents that may wait or be under way; beyond that imports are refused with 503.',
  },
  'documents.wait_seconds': {
    ...live,
    ...seconds,
    default: 120,
    min: 0,
    max: 3600,
    example: '30',
    sentence: 'Longest time that a request with wait_for_completion waits.',
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
      'How often a document is tried before it fails for good, when its work is cut off or its embedder is down.',
  },
  'documents.lease_seconds': {
    ...boot,
    ...seconds,
    default: 10,
    min: 1,
    max: 3600,
    example: '30',
    sentence: 'Time without a sign of life after which the documents of a process are given to another.',
  },
  'documents.concurrency': {
    ...boot,
    type: 'integer',
    unit: 'documents',
    default: 48,
    min: 0,
    max: 1000,
    example: '4',
    sentence: 'Documents that this process works on at once; 0 = none, imports are left to other processes.',
  },
  'documents.reader_processes': {
    ...boot,
    type: 'integer',
    unit: 'processes',
    default: 2,
    min: 1,
    max: 64,
    example: '4',
    sentence: 'Processes that read files; each file has one to itself.',
  },
  'documents.read_seconds': {
    ...live,
    ...seconds,
    default: 8,
    min: 1,
    max: 3600,
    example: '30',
    sentence:
      'CPU time for reading and cutting a file, to which one second for each MiB of its size is added; four times as much by the clock.',
  },
  'documents.read_memory_bytes': {
    ...live,
    ...bytes,
    default: 1_073_741_824,
    min: 134_217_728,
    max: 68_719_476_736,
    example: '805306368',
    sentence: 'Memory that the process that reads a file may take; it is ended beyond that, and the file fails.',
  },
  'documents.max_pages': {
    ...live,
    type: 'integer',
    unit: 'pages',
    default: 20_000,
    min: 1,
    max: 1_000_000,
    example: '5000',
    sentence: 'Most pages, slides or sheets of a file.',
  },
  'documents.max_text_characters': {
    ...live,
    type: 'integer',
    unit: 'characters',
    default: 50_000_000,
    min: 1000,
    max: 200_000_000,
    example: '10000000',
    sentence: 'Most text that is taken from a file.',
  },
  'documents.max_unpacked_bytes': {
    ...live,
    ...bytes,
    default: 268_435_456,
    min: 1_048_576,
    max: 4_294_967_296,
    example: '536870912',
    sentence: 'Most bytes that a packed file (Office, OpenDocument, EPUB) may hold once unpacked.',
  },
  'documents.reader': {
    ...live,
    type: 'string',
    default: 'auto',
    example: 'text',
    sentence: 'Reader of imports that name none; auto chooses by content.',
  },
  'documents.chunker': {
    ...live,
    type: 'string',
    default: 'token',
    example: 'sentence',
    sentence: 'Chunker of imports that name none.',
  },
  'documents.embedder': {
    ...live,
    type: 'string',
    default: 'hashing',
    example: 'text-embedding-3-small',
    sentence:
      'Embedder of imports that name none: hashing (built in, matches words), local, or an embedding model of this gateway.',
  },
  'documents.vision_model': {
    ...live,
    type: 'string',
    default: null,
    example: 'gpt-4o-mini',
    sentence: 'Multimodal model of this gateway that reads pictures and scanned pages; without it they hold no text.',
  },
  'documents.embed_batch': {
    ...live,
    type: 'integer',
    unit: 'texts',
    default: 64,
    min: 1,
    max: 2048,
    example: '256',
    sentence: 'Most texts that are sent to an embedding model in one call.',
  },
  'documents.embed_concurrency': {
    ...live,
    type: 'integer',
    unit: 'calls',
    default: 4,
    min: 1,
    max: 256,
    example: '8',
    sentence: 'Most calls for documents that are with one embedding model at once.',
  },
  'documents.local_model_dir': {
    ...boot,
    type: 'string',
    default: null,
    example: '/var/lib/sluice/models/all-MiniLM-L6-v2',
    sentence: 'Directory of the ONNX embedding model for the embedder local.',
  },
  'documents.s3_url': {
    ...boot,
    type: 'string',
    format: 'http-url',
    default: null,
    needs: 'documents.s3_bucket',
    example: 'https://s3.eu-central-1.amazonaws.com',
    sentence: 'Address of an S3-compatible store for the imported files; without it they lie in the data directory.',
  },
  'documents.s3_bucket': {
    ...boot,
    type: 'string',
    default: null,
    needs: 'documents.s3_access_key_id',
    example: 'sluice-documents',
    sentence: 'Bucket of that store.',
  },
  'documents.s3_region': {
    ...boot,
    type: 'string',
    default: null,
    needs: 'documents.s3_url',
    example: 'eu-central-1',
    sentence: 'Region of that store; when left out it is taken from the address of an AWS store, else auto.',
  },
  'documents.s3_access_key_id': {
    ...boot,
    type: 'string',
    default: null,
    needs: 'documents.s3_secret_access_key',
    example: 'AKIAIOSFODNN7EXAMPLE',
    sentence: 'Access key id for that store.',
  },
  'documents.s3_secret_access_key': {
    ...boot,
    type: 'secret',
    default: null,
    needs: 'documents.s3_url',
    example: 'wJalrXUtnFEMI-EXAMPLEKEY',
    sentence: 'Secret access key for that store.',
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
      'How long a small embeddings request waits for others of its model, to be sent in one call with them, while the provider is busy with such calls; 0 = never joined.',
  },
  'embeddings.join_items_max': {
    ...live,
    type: 'integer',
    unit: 'inputs',
    default: 64,
    min: 2,
    max: 2048,
    example: '256',
    sentence: 'Most inputs in one joined embeddings call; a request with more than half of them is never joined.',
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
      'How long it is remembered which provider holds a stored response, and whose it is; as long as the provider keeps them.',
  },

  'usage.retention_days': {
    ...live,
    type: 'integer',
    unit: 'days',
    default: 90,
    min: 1,
    max: 36_500,
    example: '365',
    sentence: 'How long usage records are kept.',
  },
  'usage.queue_max': {
    ...boot,
    type: 'integer',
    unit: 'records',
    default: 20_000,
    min: 1,
    max: 10_000_000,
    example: '100000',
    sentence: 'Most usage records that wait in memory for the database.',
  },
  'usage.flush_milliseconds': {
    ...boot,
    type: 'integer',
    unit: 'milliseconds',
    default: 1000,
    min: 1,
    max: 600_000,
    example: '5000',
    sentence: 'How often waiting usage records are written to the database.',
  },

  'metrics.require_key': {
    ...boot,
    type: 'boolean',
    default: false,
    example: 'true',
    sentence: "Ask for an administrator's API key at /metrics.",
  },

  'discovery.enabled': {
    ...boot,
    type: 'boolean',
    default: true,
    example: 'false',
    sentence:
      'Look at the first start for model servers on this machine and for API keys of vendors in the environment, and tell how to add them.',
  },

  'cluster.replica_timeout_seconds': {
    ...boot,
    ...seconds,
    default: 5,
    min: 0.1,
    max: 300,
    example: '10',
    sentence: 'Silence after which another process on the same database counts as gone.',
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
