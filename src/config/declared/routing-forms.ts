/**
 * How routing is written, in the configuration file and in the admin API alike: composites, failover,
 * traffic rules, reasoning. `model` names a model in the file; in the API it may be an id too.
 */
import { z } from '#lib/schema.ts'
import { isJsonValue, type JsonValue } from '#lib/json-value.ts'
import { readHttpUrl } from '../settings/formats.ts'

/** Reasoning efforts, in the order in which they are listed. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

export const strategies = ['weighted', 'priority', 'latency', 'affinity'] as const

/** How the host of a provider's address leads to several servers. */
export const serverDiscoveries = ['a', 'srv'] as const

export const serverStrategies = ['affinity', 'weighted', 'latency'] as const

const modelName = z.string().regex(/^[^\s\p{Cc}]{1,200}$/u, 'expected the name of a model')

const component = z.strictObject({
  model: modelName,
  weight: z.int('expected a whole number').min(1, 'expected at least 1').max(100, 'expected at most 100').default(1),
  priority: z
    .int('expected a whole number')
    .min(0, 'expected at least 0')
    .max(1000, 'expected at most 1000')
    .default(0),
  enabled: z.boolean().default(true),
})

/** The models that a composite stands for; each of them once. */
export const componentsForm = z
  .array(component)
  .min(1, 'expected at least one component')
  .max(100, 'expected at most 100 components')
  .superRefine((components, context) => {
    components.forEach(({ model }, index) => {
      if (components.findIndex((other) => other.model === model) < index)
        context.addIssue({ code: 'custom', message: 'expected each component once', path: [index, 'model'] })
    })
  })

export const strategyForm = z.enum(strategies, `expected one of ${strategies.join(', ')}`).default('weighted')

const serverUrl = z
  .string()
  .max(2000)
  .transform((value, context): string => {
    const read = readHttpUrl(value)
    if (read !== null) return read
    context.addIssue('expected an http:// or https:// address without user, query or fragment')
    return z.NEVER
  })

/** The servers of one provider. */
export const serversForm = z.strictObject({
  urls: z.array(serverUrl).max(100, 'expected at most 100 addresses').default([]),
  dns: z
    .enum(serverDiscoveries, `expected one of ${serverDiscoveries.join(', ')}`)
    .nullable()
    .default(null),
  strategy: z.enum(serverStrategies, `expected one of ${serverStrategies.join(', ')}`).default('affinity'),
})

const status = z
  .int('expected a status')
  .min(400, 'expected a status from 400 to 599')
  .max(599, 'expected a status from 400 to 599')

/** What is left out is as in the settings `failover.*`. */
export const failoverForm = z.strictObject({
  statuses: z.array(status).max(200, 'expected at most 200 statuses').optional(),
  max_attempts: z
    .int('expected a whole number')
    .min(1, 'expected at least 1')
    .max(20, 'expected at most 20')
    .optional(),
  budget_seconds: z
    .number('expected a number of seconds')
    .min(0.05, 'expected at least 0.05')
    .max(3600, 'expected at most 3600')
    .optional(),
})

const rule = z.discriminatedUnion(
  'action',
  [z.strictObject({ action: z.literal('deny') }), z.strictObject({ action: z.literal('redirect'), model: modelName })],
  'expected an action: deny or redirect',
)

export const rulesForm = z.strictObject({ realtime: rule.optional(), batch: rule.optional() })

const valueBytesMax = 8192
const pointerDepthMax = 8

/** Fields that decide where a request goes and how it is answered: reasoning must not change them. */
const reservedFields: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'input',
  'prompt',
  'stream',
  'stream_options',
])

// RFC 6901: a reference token holds no "/" and escapes "~" as ~0 or ~1. Numbers would be places in a list.
const pointer = z
  .string()
  .regex(/^(\/([^/~]|~0|~1)+)+$/, 'expected a JSON pointer such as /reasoning_effort')
  .refine((value) => tokensOf(value).length <= pointerDepthMax, `expected at most ${pointerDepthMax} levels`)
  .refine((value) => !reservedFields.has(tokensOf(value)[0] ?? ''), 'expected a field that is about reasoning')
  .refine(
    (value) => !tokensOf(value).some((token) => token === '__proto__' || /^(\d+|-)$/.test(token)),
    'expected names of fields only',
  )

const written = z
  .unknown()
  .refine(isJsonValue, 'expected a JSON value')
  .refine((value) => JSON.stringify(value).length <= valueBytesMax, `expected at most ${valueBytesMax} characters`)

const effort = z.enum(efforts, `expected one of ${efforts.join(', ')}`)

/**
 * The efforts that a model takes, and what each one puts where in the body that goes upstream. No
 * efforts: the model does not reason. The client's own field is taken out first.
 */
export const reasoningForm = z
  .strictObject({
    efforts: z.array(effort).overwrite((listed) => efforts.filter((word) => listed.includes(word))),
    writes: z
      .array(z.strictObject({ pointer, values: z.partialRecord(effort, written as z.ZodType<JsonValue>) }))
      .max(8, 'expected at most 8 writes')
      .default([]),
  })
  .superRefine((form, context) => {
    form.writes.forEach((write, index) => {
      const clash = form.writes.slice(0, index).some((other) => isNested(other.pointer, write.pointer))
      if (clash)
        context.addIssue({
          code: 'custom',
          message: 'expected pointers of which none is inside another',
          path: ['writes', index, 'pointer'],
        })
      const stray = efforts.find((word) => word in write.values && !form.efforts.includes(word))
      if (stray !== undefined)
        context.addIssue({
          code: 'custom',
          message: 'expected values for the listed efforts only',
          path: ['writes', index, 'values', stray],
        })
    })
    const unwritten = form.efforts.find((word) => !form.writes.some((write) => word in write.values))
    if (unwritten !== undefined)
      context.addIssue({
        code: 'custom',
        message: `expected a write that has a value for "${unwritten}"`,
        path: ['writes'],
      })
  })

function tokensOf(text: string): readonly string[] {
  return text
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function isNested(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)
}
