import { describe, expect, test } from 'bun:test'
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { callFetch } from './call-fetch.ts'
import { chatModel, forVersion } from './model.ts'
import { vendors } from './vendors.ts'
import type { Vendor } from './vendor.ts'
import { vendorRecord } from '#test/support/upstream/vendor-fixtures.ts'

const record = vendorRecord('ai-sdk', '', { package: 'some-package', settings: { region: 'eu' } })
const out = callFetch({
  record,
  requestId: 'r',
  signal: new AbortController().signal,
  reuseConnection: true,
  headers: {},
})

function vendorWith(exported: Readonly<Record<string, unknown>>): Vendor {
  const vendor = vendors['ai-sdk']?.(record)
  if (vendor === undefined) throw new Error('the kind is gone')
  return { ...vendor, load: async () => exported }
}

function provider(version: string): unknown {
  return (settings: object) => ({
    languageModel: (name: string) => ({ specificationVersion: version, name, settings }),
  })
}

describe('a package of one’s choice', () => {
  test('gets the options, the credential and our fetch', async () => {
    const model = await chatModel(vendorWith({ createSome: provider('v4') }), 'a-model', out)
    expect(model).toMatchObject({
      name: 'a-model',
      settings: { region: 'eu', apiKey: 'key-of-the-vendor', fetch: expect.any(Function) },
    })
  })

  test('that speaks an older version than 3 is refused in words', async () => {
    const failure = chatModel(vendorWith({ createSome: provider('v2') }), 'm', out)
    expect(await failure.catch(String)).toContain('speaks version v3 or v4')
  })

  test('with several factories must say which', async () => {
    const failure = chatModel(vendorWith({ createOne: provider('v4'), createTwo: provider('v4') }), 'm', out)
    expect(await failure.catch(String)).toContain('createOne, createTwo')
  })

  test('cannot be a path or a module of the runtime', () => {
    for (const name of ['../../app.ts', '/etc/passwd', 'node:fs', 'fs', 'a/b/c', '']) {
      expect(() => vendors['ai-sdk']?.(vendorRecord('ai-sdk', '', { package: name }))).toThrow('option "package"')
    }
  })
})

describe('version 3 of the interface', () => {
  const options: LanguageModelV4CallOptions = {
    prompt: [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
          { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
        ],
      },
    ],
  }

  test('has files without the object around them', () => {
    const [message] = forVersion('v3', options).prompt as unknown as { content: { data: unknown }[] }[]
    expect(message?.content.map(({ data }) => data)).toEqual(['AAAA', new URL('https://example.com/a.png')])
    expect(forVersion('v4', options)).toBe(options)
  })

  test('has no effort of reasoning, which is refused', () => {
    expect(() => forVersion('v3', { ...options, reasoning: 'low' })).toThrow('reasoning_effort')
  })
})
