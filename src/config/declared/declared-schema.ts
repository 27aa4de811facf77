/**
 * The form of what can be declared in the configuration file besides settings: providers, models,
 * composites, groups, users and aliases. The descriptions are printed in docs/configuration.md. Messages must
 * not hold the value, which may be a secret.
 */
import { z } from '#lib/schema.ts'
import { Secret } from '#lib/secret.ts'
import { isJsonValue, type JsonValue } from '#lib/json-value.ts'
import { readEmail, readHttpUrl } from '../settings/formats.ts'
import { pricesForm } from './money-forms.ts'
import { componentsForm, failoverForm, reasoningForm, rulesForm, serversForm, strategyForm } from './routing-forms.ts'

/** A name as people and URLs can bear it: no blanks and no control characters. */
const name = z.string().regex(/^[^\s\p{Cc}]{1,200}$/u, 'expected 1 to 200 characters without blanks')
const label = z.string().regex(/^\S([^\p{Cc}]{0,198}\S)?$/u, 'expected 1 to 200 characters, none of them a line break')
const text = z.string().max(2000, 'expected at most 2000 characters')
const seconds = z
  .number('expected a number of seconds')
  .min(0.05, 'expected at least 0.05')
  .max(86_400, 'expected at most 86400')

const secret = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'expected printable ASCII characters without blanks at the ends')
  .transform((value) => new Secret(value))

const password = z
  .string()
  .min(8, 'expected at least 8 characters')
  .max(1024, 'expected at most 1024 characters')
  .transform((value) => new Secret(value))

const email = z.string().transform((value, context): string => {
  const read = readEmail(value)
  if (read !== null) return read
  context.addIssue('expected an e-mail address')
  return z.NEVER
})

const baseUrl = z.string().transform((value, context): string => {
  const read = readHttpUrl(value)
  if (read !== null) return read
  context.addIssue('expected an http:// or https:// address without user, query or fragment')
  return z.NEVER
})

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of an HTTP header')

const timeouts = z
  .strictObject({
    connect_seconds: seconds.optional(),
    first_token_seconds: seconds.optional(),
    idle_seconds: seconds.optional(),
    total_seconds: seconds.optional(),
  })
  .default({})

const capabilities = z
  .strictObject({
    endpoints: z.array(z.string()).optional(),
    input: z.array(z.string()).optional(),
    tools: z.boolean().optional(),
    json_schema: z.boolean().optional(),
    reasoning: z.boolean().optional(),
  })
  .default({})

const options = z
  .record(
    z.string().regex(/^\w{1,100}$/, 'expected the name of an option'),
    z.unknown().refine(isJsonValue) as z.ZodType<JsonValue>,
  )
  .prefault({})

const maxConcurrent = z.int().min(1).max(1_000_000).optional()

const providerFields = {
  name: name.describe('Unique; shown as `owned_by` of its models.'),
  kind: name.default('openai').describe('Which adapter speaks to it.'),
  base_url: baseUrl
    .default('')
    .describe('Address that the endpoints are appended to; not needed by kinds without a server.'),
  credential: secret.optional().describe('Sent as the bearer token; best written as `${NAME}`.'),
  headers: z.record(headerName, secret).prefault({}).describe('Further headers of every request; treated as secrets.'),
  timeouts: timeouts.describe('Its own `connect_seconds`, `first_token_seconds`, `idle_seconds`, `total_seconds`.'),
  options: options.describe('What only its kind knows, such as `region` or `package`; treated as secrets.'),
  reasoning: reasoningForm
    .optional()
    .describe(
      '`efforts` that its models take and `writes` that say how; what is known about the vendor when left out.',
    ),
  max_concurrent: maxConcurrent.describe('Requests under way at all its models at once; any number when left out.'),
  servers: serversForm
    .optional()
    .describe('Its servers, when it has several: `urls`, `dns` (`a` or `srv`), `strategy`. [Routing](routing.md).'),
  enabled: z.boolean().default(true).describe('False takes the provider out of use.'),
}

const commonFields = {
  name: name.describe('What callers ask for; shares one namespace with all aliases.'),
  aliases: z.array(name).default([]).describe('Further names that callers may use.'),
  groups: z
    .array(label)
    .default(['everyone'])
    .describe('Names of the groups whose members may call it; `[]` = nobody.'),
  description: text.default('').describe('Shown to users.'),
  active: z.boolean().default(true).describe('False takes the model out of use.'),
  context_length: z.int().min(1).optional().describe('Tokens, for display.'),
  capabilities: capabilities.describe('What it can do: `endpoints`, `input`, `tools`, `json_schema`, `reasoning`.'),
  inflight_limit: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Requests in flight per account; the setting `limits.realtime_inflight.default` when left out.'),
  max_concurrent: maxConcurrent.describe(
    'Requests under way at its provider at once, over all accounts; any number when left out.',
  ),
  timeouts: timeouts.describe('As of a provider; stronger than those.'),
  rules: rulesForm
    .default({})
    .describe(
      'Traffic rules by purpose, `realtime` and `batch`: `{action: deny}`, or `{action: redirect, model: other}`.',
    ),
}

const modelFields = {
  ...commonFields,
  prices: pricesForm
    .optional()
    .describe(
      'What it costs: a list of `rates` by kind in the currency, with `valid_from` (always when left out), `tiers`, `note`. [Prices](costs.md); left to administrators when left out.',
    ),
  batch: z
    .enum(['local', 'native'])
    .default('local')
    .describe(
      'Where lines of batches run: `local`, or `native` as a batch of the provider’s own. [Batches](batches.md).',
    ),
  upstream_name: name.optional().describe("The provider's own name of the model; `name` when left out."),
  reasoning: reasoningForm.optional().describe('As of a provider; stronger than that.'),
}

/** One entry of `models` inside a provider. */
export const nestedModelSchema = z.strictObject(modelFields)

/** One entry of the top-level `models`. */
export const modelSchema = z.strictObject({
  ...modelFields,
  provider: name.describe('Name of the provider that serves it.'),
})

/** One entry of `composites`. */
export const compositeSchema = z.strictObject({
  ...commonFields,
  strategy: strategyForm.describe(
    '`weighted` (the least busy for its weight), `priority` (the lowest first), `latency` (the fastest) or `affinity` (the one that had the beginning of the prompt before).',
  ),
  components: componentsForm.describe(
    'The models that it stands for: each with `model`, `weight` (1 to 100), `priority` (lower first) and `enabled`.',
  ),
  failover: failoverForm
    .default({})
    .describe('Its own `statuses`, `max_attempts`, `budget_seconds`; the settings `failover.*` when left out.'),
})

/** One entry of `providers`; its models are checked apart from it. */
export const providerSchema = z.strictObject({
  ...providerFields,
  models: z.unknown().default([]).describe('Its models, as below, without `provider`.'),
})

/** One entry of `groups`. */
export const groupSchema = z.strictObject({
  name: label.describe('Unique; `everyone` exists already and holds all users.'),
  description: text.default('').describe('Shown to administrators.'),
  permissions: z
    .array(z.enum(['documents.share'], 'expected documents.share'))
    .default([])
    .describe(
      'What its members may do: `documents.share` = name other users, other groups and everyone as owners of documents.',
    ),
  members: z
    .array(email)
    .optional()
    .describe('E-mail addresses of exactly its users; left out, administrators choose the members.'),
})

/** One entry of `users`. */
export const userSchema = z
  .strictObject({
    email: email.describe('Unique, whatever its case.'),
    name: text.default('').describe('Shown in the console.'),
    role: z.enum(['admin', 'user'], 'expected admin or user').default('user').describe('`admin` or `user`.'),
    kind: z
      .enum(['person', 'service'], 'expected person or service')
      .default('person')
      .describe('`person`, or `service` for the account of a program, which cannot sign in.'),
    password: password.optional().describe('For signing in to the console; without one only API keys work.'),
    disabled: z.boolean().default(false).describe('True refuses sign-in and all API keys of the user.'),
  })
  .refine((user) => user.kind === 'person' || user.password === undefined, {
    path: ['password'],
    error: 'a service account has none',
  })

/** One value of `aliases`, whose keys are the aliases. */
export const aliasSchema = z.strictObject({ alias: name, model: name })
