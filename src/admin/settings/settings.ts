/** Routes of settings: all can be read, the live ones that nothing else fixes can be stored. */
import { z } from '#lib/schema.ts'
import type { SettingDescription } from '#config/settings/describe.ts'
import { problemText, type Problem } from '#config/problem.ts'
import { sourceText } from '#config/settings/source.ts'
import { ApiError } from '#errors/api-error.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { requireFound } from '../fields.ts'
import { etag, versionOf } from '../record-version.ts'

const value = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.string()),
  z.array(z.number()),
  z.record(z.string(), z.string()),
  z.null(),
])

const settingAnswer = z
  .strictObject({
    name: z.string(),
    value: value.describe('A secret reads [secret]; null = not set'),
    default: value,
    source: z.string().describe('Where the value comes from'),
    class: z.enum(['boot', 'live']).describe('boot: read at start; live: may be changed here'),
    editable: z
      .boolean()
      .describe('False also for a live setting that the file, the environment or the command line fixes'),
    type: z.string(),
    unit: z.string().nullable(),
    sentence: z.string(),
    expected: z.string(),
    variable: z.string().describe('Environment variable that sets it'),
    etag,
  })
  .meta({ id: 'Setting' })

const newValue = z
  .strictObject({
    value: z.union([
      z.string().max(10_000),
      z.number(),
      z.boolean(),
      z.array(z.string()).max(10_000),
      z.array(z.number()).max(1000),
      z.record(z.string().max(1000), z.string().max(1000)),
    ]),
  })
  .meta({ id: 'NewSettingValue' })

export function settingRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Settings')
  const { store, feed, settings, clock } = admin
  const current = ({ params }: { readonly params: { readonly name: string } }) => readSetting(admin, params.name)
  /** The version with this stored value; one that does not count is as none. */
  const version = (name: string) => (stored: unknown) => {
    const check = settings.checkStored(name, stored)
    return storedVersion(check.kind === 'ok' ? check.value : undefined)
  }
  return [
    route({
      method: 'GET',
      path: '/settings',
      access: 'admin',
      summary: 'List all settings with their values and where those come from',
      answer: z.strictObject({ data: z.array(settingAnswer) }),
      handle: () => ({ data: settings.describe().map(settingOnWire) }),
    }),
    route({
      method: 'PUT',
      path: '/settings/:name',
      access: 'admin',
      summary: 'Store a value for a live setting; it holds for the next request',
      body: newValue,
      answer: settingAnswer,
      errors: ['conflict'],
      current,
      async handle({ params: { name }, body, unchanged }) {
        const stored = requireStorable(admin, name, body.value)
        await store.settings.set(name, stored, clock.now(), unchanged(version(name)))
        await feed.publish([{ kind: 'settings' }])
        return readSetting(admin, name)
      },
    }),
    route({
      method: 'DELETE',
      path: '/settings/:name',
      access: 'admin',
      summary: 'Remove the stored value of a setting, if there is one',
      answer: settingAnswer,
      current,
      async handle({ params, unchanged }) {
        readSetting(admin, params.name)
        await store.settings.delete(params.name, unchanged(version(params.name)))
        await feed.publish([{ kind: 'settings' }])
        return readSetting(admin, params.name)
      },
    }),
  ]
}

function readSetting({ settings }: Admin, name: string): z.input<typeof settingAnswer> {
  return settingOnWire(
    requireFound(
      settings.describe().find((setting) => setting.name === name),
      'setting',
    ),
  )
}

/** The value as it may be stored. Answers 404, 409 for a fixed setting, and 422. */
function requireStorable({ settings }: Admin, name: string, sent: unknown): unknown {
  const check = settings.checkStored(name, sent)
  switch (check.kind) {
    case 'ok':
      return check.value
    case 'unknown':
      throw new ApiError('not_found', { message: problemText(check.problem) })
    case 'fixed':
      throw new ApiError('conflict', { message: problemText(check.problem) })
    case 'invalid':
      throw new ApiError('validation_failed', { param: 'value', message: sentenceOf(check.problem) })
  }
}

/** What was expected, without the name and the source: the sender of the value knows both. */
function sentenceOf({ expected, remedy }: Problem): string {
  return `"value": ${expected}. ${remedy}`
}

function settingOnWire(setting: SettingDescription): z.input<typeof settingAnswer> {
  return {
    name: setting.name,
    value: plain(setting.value),
    default: plain(setting.default),
    source: setting.source,
    class: setting.class,
    editable: setting.editable,
    type: setting.type,
    unit: setting.unit,
    sentence: setting.sentence,
    expected: setting.expected,
    variable: setting.variable,
    etag: storedVersion(setting.source === sourceText({ kind: 'stored' }) ? setting.value : undefined),
  }
}

/** The version of a setting: only what is stored can be changed. No secret can be stored. */
function storedVersion(stored: unknown): string {
  return versionOf({ stored })
}

function plain(shown: SettingDescription['value']): z.input<typeof value> {
  return Array.isArray(shown)
    ? ([...(shown as readonly unknown[])] as string[] | number[])
    : (shown as Exclude<typeof shown, readonly unknown[]>)
}
