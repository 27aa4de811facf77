/** What of a typed-in provider is sent. */
import { describe, expect, test } from 'bun:test'
import type { Provider, ProviderPreset } from '../../ui/src/api/schema.d.ts'
import {
  changeOf,
  creationOf,
  draftOfPreset,
  draftOfProvider,
  headerDraft,
} from '../../ui/src/routes/providers/provider-draft.ts'

const preset: ProviderPreset = {
  name: 'vendor',
  title: 'Vendor',
  kind: 'openai',
  place: 'vendor',
  base_url: 'https://vendor.example/v1',
  headers: { 'x-version': '1' },
}

const provider: Provider = {
  id: 'p',
  name: 'vendor',
  kind: 'openai',
  base_url: 'https://vendor.example/v1',
  has_credential: true,
  header_names: ['X-One', 'X-Two'],
  timeouts: { idle_seconds: 5 },
  options: { region: 'eu', token: '[secret]' },
  reasoning: null,
  max_concurrent: null,
  servers: null,
  enabled: true,
  declared: false,
  created_at: '2026-01-01T00:00:00.000Z',
  etag: '"1"',
}

const untouched = draftOfProvider(provider)

describe('a new provider', () => {
  test('is what the preset has, with what was typed', () => {
    expect(creationOf({ ...draftOfPreset(preset), credential: ' key ' })).toEqual({
      name: 'vendor',
      kind: 'openai',
      base_url: 'https://vendor.example/v1',
      credential: 'key',
      headers: { 'x-version': '1' },
      timeouts: {},
      options: {},
      servers: null,
    })
  })

  test('has neither a credential nor headers where nothing was typed', () => {
    const draft = { ...draftOfPreset(null), name: 'own', headers: [headerDraft('', 'lost')] }
    expect(creationOf(draft)).toMatchObject({ credential: null, headers: {} })
  })

  test('is not sent with options that are no JSON object', () => {
    for (const options of ['{', '[]', '"text"', 'null'])
      expect(() => creationOf({ ...draftOfPreset(preset), options })).toThrow('JSON object')
  })
})

describe('a changed provider', () => {
  test('of which nothing was touched changes nothing', () => {
    expect(changeOf(provider, untouched)).toEqual({ timeouts: { idle_seconds: 5 } })
  })

  test('keeps the credential when the field is empty, and loses it only by the check box', () => {
    expect(changeOf(provider, { ...untouched, credential: 'new' })).toMatchObject({ credential: 'new' })
    expect(changeOf(provider, { ...untouched, removeCredential: true })).toMatchObject({ credential: null })
  })

  test('sends the headers that are new, replaced or gone, and no other', () => {
    const [, two] = untouched.headers
    const headers = [{ ...headerDraft('X-Two', 'new', true), id: two?.id ?? 0 }, headerDraft('X-Three', '3')]
    expect(changeOf(provider, { ...untouched, headers }).headers).toEqual({
      'X-One': null,
      'X-Two': 'new',
      'X-Three': '3',
    })
  })

  test('sends its servers when they are others than before, and null when the address is the one', () => {
    const several = { urls: ['http://a/v1', 'http://b/v1'], dns: 'a', strategy: 'latency' } as const
    const before = { ...provider, servers: { ...several, urls: [...several.urls] } }
    const draft = draftOfProvider(before)
    expect(draft.servers).toEqual({ urls: 'http://a/v1\nhttp://b/v1', dns: 'a', strategy: 'latency' })
    expect(changeOf(before, draft)).not.toHaveProperty('servers')
    expect(changeOf(provider, draft).servers).toEqual(before.servers)
    expect(changeOf(before, { ...draft, servers: { ...draft.servers, urls: ' ', dns: '' } }).servers).toBeNull()
  })

  test('never sends back what reads [secret]', () => {
    const options = '{"token": "[secret]", "zone": 1}'
    expect(changeOf(provider, { ...untouched, options }).options).toEqual({ region: null, zone: 1 })
  })

  test('leaves a time-out that was emptied to the settings', () => {
    const timeouts = { ...untouched.timeouts, idle_seconds: '', total_seconds: '9.5' }
    expect(changeOf(provider, { ...untouched, timeouts }).timeouts).toEqual({ total_seconds: 9.5 })
  })
})
