import { describe, expect, test } from 'bun:test'
import { LiveSettings } from './live-settings.ts'
import { loaded, type GivenConfig } from '../test-support.ts'

function live(given: GivenConfig = {}): LiveSettings {
  const { settings, sources } = loaded(given)
  return new LiveSettings(settings, sources)
}

function described(settings: LiveSettings, name: string) {
  return settings.describe().find((setting) => setting.name === name)
}

describe('stored overrides', () => {
  test('a stored value holds in place of the default, and shows as such', () => {
    const settings = live()
    expect(settings.applyStored(new Map([['gateway.idle_seconds', 7]]))).toEqual([])
    expect(settings.get('gateway.idle_seconds')).toBe(7)
    expect(described(settings, 'gateway.idle_seconds')).toMatchObject({
      value: 7,
      default: 120,
      source: 'admin page',
      class: 'live',
      editable: true,
    })
  })

  test('a removed override brings the default back', () => {
    const settings = live()
    settings.applyStored(
      new Map<string, unknown>([
        ['gateway.idle_seconds', 7],
        ['gateway.rewrite_model', true],
      ]),
    )
    settings.applyStored(new Map([['gateway.rewrite_model', true]]))
    expect(settings.get('gateway.idle_seconds')).toBe(120)
    expect(settings.get('gateway.rewrite_model')).toBe(true)
    expect(described(settings, 'gateway.idle_seconds')).toMatchObject({ source: 'default' })
  })

  test.each<[GivenConfig, string]>([
    [{ yaml: 'gateway: {idle_seconds: 5}' }, 'sluice.yaml: gateway.idle_seconds'],
    [{ environment: { SLUICE_GATEWAY_IDLE_SECONDS: '5' } }, 'SLUICE_GATEWAY_IDLE_SECONDS'],
    [{ overrides: ['gateway.idle_seconds=5'] }, '--set'],
  ])('a value of the file, the environment or the command line cannot be edited (%#)', (given, source) => {
    const settings = live(given)
    const [problem] = settings.applyStored(new Map([['gateway.idle_seconds', 7]]))
    expect(problem?.expected).toContain(source)
    expect(settings.get('gateway.idle_seconds')).toBe(5)
    expect(settings.checkStored('gateway.idle_seconds', 7).kind).toBe('fixed')
    const description = described(settings, 'gateway.idle_seconds')
    expect(description).toMatchObject({ value: 5, editable: false })
    expect(description?.source).toEndWith(source)
  })

  test('what cannot hold is skipped and reported, and the rest holds', () => {
    const settings = live()
    const problems = settings.applyStored(
      new Map<string, unknown>([
        ['server.port', 1],
        ['gateway.idle_second', 1],
        ['gateway.total_seconds', -1],
        ['gateway.first_token_seconds', 3],
      ]),
    )
    expect(problems.map(({ name }) => name)).toEqual(['server.port', 'gateway.idle_second', 'gateway.total_seconds'])
    expect(settings.get('server.port')).toBe(3001)
    expect(settings.get('gateway.total_seconds')).toBe(1800)
    expect(settings.get('gateway.first_token_seconds')).toBe(3)
  })

  test('a check tells why a value cannot be stored, and changes nothing', () => {
    const settings = live()
    expect(settings.checkStored('gateway.idle_seconds', '7')).toEqual({
      kind: 'ok',
      name: 'gateway.idle_seconds',
      value: 7,
    })
    expect(settings.checkStored('gateway.idle_seconds', 'x')).toMatchObject({
      kind: 'invalid',
      problem: { value: '"x"' },
    })
    expect(settings.checkStored('server.port', 1).kind).toBe('fixed')
    expect(settings.checkStored('toString', 1).kind).toBe('unknown')
    expect(settings.get('gateway.idle_seconds')).toBe(120)
  })
})

describe('describing', () => {
  test('secrets are not readable, and of the database address only the password is hidden', () => {
    const key = Buffer.alloc(32, 7).toString('base64')
    const settings = live({
      environment: {
        SLUICE_SECURITY_SECRET_KEY: key,
        SLUICE_DATABASE_URL: 'postgres://sluice:p@ss:word@db.example.org:5432/sluice?password=other&sslmode=require',
      },
    })
    expect(described(settings, 'security.secret_key')?.value).toBe('[secret]')
    expect(described(settings, 'database.url')?.value).toBe(
      'postgres://sluice:[secret]@db.example.org:5432/sluice?password=[secret]&sslmode=require',
    )
    expect(JSON.stringify(settings.describe())).not.toContain(key)
  })

  test('every setting is described, and only live ones can be edited', () => {
    const settings = live().describe()
    for (const setting of settings) expect(setting.editable).toBe(setting.class === 'live')
    expect(settings.filter((setting) => setting.editable).map((setting) => setting.name)).toEqual([
      'server.cors_origins',
      'auth.sign_in_attempts',
      'auth.sign_in_lock_seconds',
      'auth.oidc.button_label',
      'auth.oidc.auto_create',
      'auth.oidc.allowed_domains',
      'auth.oidc.trust_email',
      'auth.oidc.groups_claim',
      'auth.oidc.group_map',
      'auth.oidc.admin_groups',
      'gateway.connect_seconds',
      'gateway.first_token_seconds',
      'gateway.idle_seconds',
      'gateway.total_seconds',
      'gateway.keepalive_seconds',
      'gateway.rewrite_model',
      'gateway.max_response_bytes',
      'gateway.max_event_bytes',
      'gateway.request_headers',
      'gateway.response_headers',
      'limits.realtime_inflight.enforce',
      'limits.realtime_inflight.default',
      'limits.rates',
      'limits.queue.length',
      'limits.queue.timeout_seconds',
      'limits.queue.batch_timeout_seconds',
      'limits.queue.allow_raising',
      'failover.statuses',
      'failover.max_attempts',
      'failover.budget_seconds',
      'health.failures_to_eject',
      'health.ejection_seconds',
      'health.ejection_max_seconds',
      'health.probe_seconds',
      'health.load_seconds',
      'health.lookup_seconds',
      'generation.consumer_groups',
      'generation.anonymous_user',
      'generation.max_image_bytes',
      'generation.max_image_pixels',
      'generation.max_batch',
      'generation.request_concurrency',
      'generation.model_concurrency',
      'generation.leader_first',
      'generation.chat_template',
      'documents.max_file_bytes',
      'documents.max_body_bytes',
      'documents.categories',
      'documents.max_backlog',
      'documents.wait_seconds',
      'documents.max_attempts',
      'documents.max_crashes',
      'documents.read_seconds',
      'documents.read_memory_bytes',
      'documents.max_pages',
      'documents.max_text_characters',
      'documents.max_unpacked_bytes',
      'documents.reader',
      'documents.chunker',
      'documents.embedder',
      'documents.vision_model',
      'documents.transcription_model',
      'documents.transcription_part_bytes',
      'documents.ocr.enabled',
      'documents.ocr.languages',
      'documents.ocr.language_dir',
      'documents.ocr.max_pages',
      'documents.rerank_model',
      'documents.rewrite_model',
      'documents.model_seconds',
      'documents.embed_batch',
      'documents.embed_concurrency',
      'documents.vector_index',
      'embeddings.join_milliseconds',
      'embeddings.join_items_max',
      'realtime.buffer_bytes',
      'files.max_bytes',
      'files.account_bytes_max',
      'batches.max_lines',
      'batches.max_file_bytes',
      'batches.open_max',
      'batches.async_max',
      'batches.concurrency',
      'batches.native_poll_seconds',
      'batches.retention_days',
      'documents.import_urls',
      'documents.source_timeout_seconds',
      'webhooks.timeout_seconds',
      'webhooks.retry_hours',
      'webhooks.retention_days',
      'webhooks.key_expiry_days',
      'responses.keep',
      'responses.account_bytes_max',
      'responses.background_max',
      'responses.retention_days',
      'exports.schedule',
      'exports.hour',
      'exports.time_zone',
      'exports.formats',
      'content_log.enabled',
      'content_log.models',
      'content_log.groups',
      'content_log.keys',
      'content_log.redact',
      'content_log.redact_patterns',
      'content_log.max_bytes',
      'content_log.total_bytes_max',
      'content_log.retention_days',
      'audit.retention_days',
      'usage.retention_days',
      'log.requests',
      'traces.sample_ratio',
      'prices.catalogue',
    ])
  })
})
