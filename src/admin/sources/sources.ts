/** Routes of sources: buckets, WebDAV folders, Git repositories and sites that the server keeps documents in step with. */
import { z } from '#lib/schema.ts'
import { ApiError } from '#errors/api-error.ts'
import { SourceFailure } from '#documents/web/source-failure.ts'
import { instant, instantOf } from '#http/page.ts'
import type { Route } from '#http/route.ts'
import type { Caller } from '#identity/records.ts'
import { Secret } from '#lib/secret.ts'
import { sourceKinds, type Source, type SourcePatch, type SourceRun } from '#store/sources/sources.ts'
import type { Admin } from '../admin.ts'
import { endpointsOf } from '../endpoint.ts'
import { id, instantOrNull, label, requireFound } from '../fields.ts'
import { etag, sealedVersionOf } from '../record-version.ts'

const sourcesMax = 100
const dryRunMax = 1000

const url = z
  .string()
  .max(2000, 'expected at most 2000 characters')
  .refine(isPlace, 'expected an http: or https: URL without a user, a password or a fragment')
  .describe('Of a bucket with a prefix, of a WebDAV folder, of a Git repository, of a sitemap or a page')
const line = z.string().regex(/^[^\p{Cc}]{1,255}$/u, 'expected 1 to 255 characters on one line')
const settable = {
  url,
  credential: z
    .string()
    .min(1)
    .max(2000)
    .nullable()
    .describe('`access key id:secret` for s3, `user:password` for webdav, `user:token` for git; never shown again'),
  user_id: id.describe('Whose the documents are; runs have the rights of this user'),
  category: line,
  owners: z.array(line).min(1).max(100).nullable().describe('Who may see them; null for the user alone'),
  every_minutes: z.int().min(1, 'expected at least 1').max(525_600),
  enabled: z.boolean(),
  region: line.nullable().describe('Of s3; us-east-1 when null'),
  branch: line.nullable().describe('Of git; that of HEAD when null'),
  path: line.nullable().describe('Of git: only files below this folder'),
  ignore: z.array(line).max(100).describe('Patterns of files that are left out'),
}

const newSource = z
  .strictObject({
    ...settable,
    name: label,
    kind: z.enum(sourceKinds),
    credential: settable.credential.default(null),
    owners: settable.owners.default(null),
    category: line.default('default'),
    every_minutes: settable.every_minutes.default(60),
    enabled: z.boolean().default(true),
    region: settable.region.default(null),
    branch: settable.branch.default(null),
    path: settable.path.default(null),
    ignore: settable.ignore.default([]),
  })
  .meta({ id: 'NewSource' })
const sourceChange = z.strictObject(settable).partial().meta({ id: 'SourceChange' })

const count = z.int()
const runAnswer = z.strictObject({
  outcome: z.enum(['completed', 'failed']),
  begun_at: instant,
  ended_at: instant,
  imported: count,
  moved: count,
  deleted: count,
  unchanged: count,
  failed: count.describe('Files that could not be imported'),
  errors: z.array(z.string()),
})
const { credential: _credential, ...shown } = settable
const sourceAnswer = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    kind: z.enum(sourceKinds),
    ...shown,
    has_credential: z.boolean(),
    running_since: instant.nullable(),
    next_run_at: instant,
    last_run: runAnswer.nullable(),
    created_at: instant,
    etag,
  })
  .meta({ id: 'Source' })
const plannedAnswer = z.strictObject({
  total: count.describe('Changes in all'),
  data: z.array(z.strictObject({ change: z.enum(['new', 'changed', 'moved', 'deleted']), file: z.string() })),
})

export function sourceRoutes(admin: Admin): Route<Caller>[] {
  return [...listRoutes(admin), ...recordRoutes(admin), ...runRoutes(admin)]
}

function listRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Sources')
  const { store, clock } = admin
  return [
    route({
      method: 'GET',
      path: '/sources',
      access: 'admin',
      summary: 'List the sources that documents are kept in step with',
      answer: z.strictObject({ data: z.array(sourceAnswer) }),
      handle: async () => ({ data: (await store.sources.all()).map((source) => onWire(admin, source)) }),
    }),
    route({
      method: 'POST',
      path: '/sources',
      access: 'admin',
      summary: 'Add a source; its first run begins at once',
      body: newSource,
      answer: sourceAnswer,
      status: 201,
      errors: ['conflict', 'not_found'],
      async handle({ body: { region, branch, path, ignore, credential, ...body } }) {
        const { user_id: userId, every_minutes: everyMinutes, ...fields } = body
        requireFound(await store.users.get(userId), 'user')
        const source: Source = {
          ...fields,
          id: crypto.randomUUID(),
          credential: credential === null ? null : new Secret(credential),
          options: optionsOf({ region, branch, path, ignore }),
          userId,
          everyMinutes,
          dueAt: clock.now(),
          begunAt: null,
          lastRun: null,
          createdAt: clock.now(),
        }
        if (!(await store.sources.insert(source, sourcesMax)))
          throw new ApiError('conflict', { message: `This name is taken, or there are ${sourcesMax} sources already.` })
        return onWire(admin, source)
      },
    }),
  ]
}

function recordRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Sources')
  const { store } = admin
  const version = (source: Source): string => versionOf(admin, source)
  const current = async ({ params }: { readonly params: { readonly id: string } }) =>
    onWire(admin, requireFound(await store.sources.get(params.id), 'source'))
  return [
    route({
      method: 'GET',
      path: '/sources/:id',
      access: 'admin',
      summary: 'One source and its last run',
      answer: sourceAnswer,
      handle: current,
    }),
    route({
      method: 'PATCH',
      path: '/sources/:id',
      access: 'admin',
      summary: 'Change a source, or switch it off or on',
      description: 'A credential is kept only while the URL stays at its server: send it again with another one.',
      body: sourceChange,
      answer: sourceAnswer,
      current,
      async handle({ params, body, unchanged }) {
        const before = requireFound(await store.sources.get(params.id), 'source')
        const patch = patchOf(before, body)
        const changed = await store.sources.update(params.id, patch, unchanged(version))
        return onWire(admin, requireFound(changed, 'source'))
      },
    }),
    route({
      method: 'DELETE',
      path: '/sources/:id',
      access: 'admin',
      summary: 'Delete a source; its documents stay with their user',
      current,
      async handle({ params, unchanged }) {
        requireFound((await store.sources.delete(params.id, unchanged(version))) ? params.id : null, 'source')
      },
    }),
  ]
}

function runRoutes(admin: Admin): Route<Caller>[] {
  const route = endpointsOf(admin, 'Sources')
  const { store, sources, clock } = admin
  return [
    route({
      method: 'POST',
      path: '/sources/:id/run',
      access: 'admin',
      summary: 'Look at a source now',
      answer: sourceAnswer,
      status: 202,
      async handle({ params }) {
        const isThere = await store.sources.runNow(params.id, clock.now())
        return onWire(admin, requireFound(isThere ? await store.sources.get(params.id) : null, 'source'))
      },
    }),
    route({
      method: 'POST',
      path: '/sources/:id/dry-run',
      access: 'admin',
      summary: 'What a run would do now; changes nothing',
      answer: plannedAnswer,
      errors: ['conflict'],
      async handle({ params, context }) {
        const source = requireFound(await store.sources.get(params.id), 'source')
        const planned = await sources.dryRun(source, context.signal).catch((thrown: unknown) => {
          throw thrown instanceof SourceFailure ? new ApiError('conflict', { message: thrown.message }) : thrown
        })
        return { total: planned.length, data: planned.slice(0, dryRunMax) }
      },
    }),
  ]
}

/** What a change means for a source. Answers 422 for another user. */
function patchOf(before: Source, body: z.output<typeof sourceChange>): SourcePatch {
  const { region, branch, path, ignore, credential, user_id: userId, every_minutes: everyMinutes, ...rest } = body
  if (userId !== undefined && userId !== before.userId)
    throw new ApiError('validation_failed', {
      param: 'user_id',
      message: '"user_id": the documents of a source stay with its user. Add another source.',
    })
  const leaves = rest.url !== undefined && new URL(rest.url).origin !== new URL(before.url).origin
  const kept = leaves ? null : undefined
  return {
    ...rest,
    everyMinutes,
    options: { ...before.options, ...optionsOf({ region, branch, path, ignore }) },
    credential: credential === undefined ? kept : credential === null ? null : new Secret(credential),
  }
}

type Options = {
  readonly [Name in 'region' | 'branch' | 'path' | 'ignore']?: string | readonly string[] | null | undefined
}

function optionsOf(options: Options): Source['options'] {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function settableOf(source: Source) {
  const { url: place, userId, category, owners, everyMinutes, enabled, options } = source
  return {
    url: place,
    user_id: userId,
    category,
    owners: owners && [...owners],
    every_minutes: everyMinutes,
    enabled,
    region: (options['region'] ?? null) as string | null,
    branch: (options['branch'] ?? null) as string | null,
    path: (options['path'] ?? null) as string | null,
    ignore: [...((options['ignore'] ?? []) as readonly string[])],
  }
}

function versionOf({ sealer }: Admin, source: Source): string {
  return sealedVersionOf(sealer, { ...settableOf(source), credential: source.credential?.reveal() ?? null })
}

function onWire(admin: Admin, source: Source): z.input<typeof sourceAnswer> {
  return {
    id: source.id,
    name: source.name,
    kind: source.kind,
    ...settableOf(source),
    has_credential: source.credential !== null,
    running_since: instantOrNull(source.begunAt),
    next_run_at: instantOf(source.dueAt),
    last_run: source.lastRun && runOnWire(source.lastRun),
    created_at: instantOf(source.createdAt),
    etag: versionOf(admin, source),
  }
}

function runOnWire({ begunAt, endedAt, errors, ...counts }: SourceRun): z.input<typeof runAnswer> {
  return { ...counts, begun_at: instantOf(begunAt), ended_at: instantOf(endedAt), errors: [...errors] }
}

function isPlace(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, hash } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === '' && !/\p{Cc}/u.test(value)
}
