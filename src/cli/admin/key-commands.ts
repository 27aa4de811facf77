/** `sluice keys …` */
import { keyAreas, priorities } from '#identity/records.ts'
import { CommandFailure, UsageProblem, type Command, type GivenFlags } from '../command.ts'
import { dataCommand, userByEmail } from './data-command.ts'
import type { AdminClient } from './admin-client.ts'
import { tableLines } from '../output.ts'
import { listAll, type KeyOnWire, type UserOnWire } from './wire.ts'

const dayMs = 24 * 60 * 60 * 1000

const create = dataCommand({
  name: 'keys create',
  summary: 'Create an API key and print it, this once.',
  positionals: [{ name: 'NAME', sentence: 'What the key is for.' }],
  flags: {
    user: { type: 'string', placeholder: 'EMAIL', sentence: 'Whose key it is. Required.' },
    description: { type: 'string', placeholder: 'TEXT', sentence: 'More about it.' },
    'expires-days': {
      type: 'string',
      placeholder: 'DAYS',
      sentence: 'Refused after this many days; never when left out.',
    },
    model: {
      type: 'string',
      placeholder: 'NAME',
      repeatable: true,
      sentence: 'Only for this model; all of the user when left out.',
    },
    area: {
      type: 'string',
      placeholder: 'AREA',
      repeatable: true,
      sentence: `Only for this part of the API: ${keyAreas.join(', ')}; all but admin and scim when left out.`,
    },
    priority: {
      type: 'string',
      placeholder: 'WORD',
      sentence: `In which class its requests wait for a scarce model: ${priorities.join(', ')}; normal when left out.`,
    },
    admin: {
      type: 'boolean',
      sentence: 'The key may also do whatever an administrator may: users, keys, providers, settings.',
    },
  },
  async run(client, { positionals: [name], flags, output }) {
    const email = flags.get('user')
    if (email === undefined) throw new UsageProblem('Say whose key it is: --user EMAIL.')
    const user = await userByEmail(client, email)
    if (flags.has('admin') && user.role !== 'admin')
      throw new CommandFailure(`${user.email} is not an administrator, so no key of this user may administer.`)
    const areas = areasOf(flags)
    const priority = flags.get('priority')
    const key = (await client.call('POST', `/users/${user.id}/keys`, {
      name,
      description: flags.get('description') ?? '',
      expires_at: expiry(flags.get('expires-days')),
      scopes: { models: orNull(flags.all('model')), areas },
      ...(priority !== undefined && { priority }),
    })) as KeyOnWire
    // The key alone on stdout, so that KEY=$(sluice keys create …) works.
    output.remark(`Created a key for ${user.email}, for ${areas.join(', ')}. It is shown this once:`)
    output.result(key, [String(key.secret)])
    return 0
  },
})

const list = dataCommand({
  name: 'keys list',
  summary: 'List API keys; the keys themselves are not stored.',
  flags: { user: { type: 'string', placeholder: 'EMAIL', sentence: 'Only the keys of this user.' } },
  async run(client, { flags, output }) {
    const email = flags.get('user')
    const of = email === undefined ? '' : `?user_id=${(await userByEmail(client, email)).id}`
    const keys = await listAll<KeyOnWire>(client, `/keys${of}`)
    const users = new Map((await listAll<UserOnWire>(client, '/users')).map((user) => [user.id, user.email]))
    const rows = keys.map((key) => [
      key.prefix,
      key.name,
      users.get(key.user_id) ?? key.user_id,
      key.last_used_at ?? 'never',
      key.expires_at ?? 'never',
      key.id,
    ])
    output.result(keys, () =>
      tableLines(['key', 'name', 'user', 'last used', 'expires', 'id'], rows, 'There are no keys.'),
    )
    return 0
  },
})

const remove = dataCommand({
  name: 'keys delete',
  summary: 'Delete API keys; the next request with one of them is refused.',
  positionals: [{ name: 'KEY', repeatable: true, sentence: 'The beginning of the key (sk-slu-…) or its id.' }],
  async run(client, { positionals, output }) {
    const ids = await keyIds(client, positionals)
    const { deleted } = (await client.call('POST', '/keys/delete', { ids })) as { readonly deleted: readonly string[] }
    output.result({ deleted }, [`Deleted ${deleted.length === 1 ? 'one key' : `${deleted.length} keys`}.`])
    return 0
  },
})

const rotate = dataCommand({
  name: 'keys rotate',
  summary: 'Give an API key another secret and print it, this once; all else of the key stays.',
  positionals: [{ name: 'KEY', sentence: 'The beginning of the key (sk-slu-…) or its id.' }],
  flags: {
    'overlap-hours': {
      type: 'string',
      placeholder: 'HOURS',
      sentence: 'How long the old secret works beside the new one, 0 to 720; 24 when left out.',
    },
  },
  async run(client, { positionals, flags, output }) {
    const [id] = await keyIds(client, positionals)
    const hours = Number(flags.get('overlap-hours') ?? '24')
    if (!(hours >= 0 && hours <= 720)) throw new UsageProblem('--overlap-hours takes a number of hours from 0 to 720.')
    const body = { overlap_hours: hours }
    const key = (await client.call('POST', `/keys/${id}/rotate`, body)) as KeyOnWire
    const end = key.previous === null ? 'has ended' : `works until ${key.previous.until}`
    output.remark(`The old secret of ${key.name} ${end}. The new one is shown this once:`)
    output.result(key, [String(key.secret)])
    return 0
  },
})

export const keyCommands: readonly Command[] = [create, list, rotate, remove]

/** Ids of the given ids, displayed beginnings, or whole keys: a leaked key is found by itself. */
async function keyIds(client: AdminClient, given: readonly string[]): Promise<readonly string[]> {
  const keys = await listAll<KeyOnWire>(client, '/keys')
  return given.map((text) => {
    const prefix = text.split('_', 1)[0]
    const key = keys.find(({ id, prefix: shown }) => id === text || shown === prefix)
    if (key === undefined)
      throw new CommandFailure(`There is no key ${prefix}. Nothing was changed; "sluice keys list" shows all.`)
    return key.id
  })
}

function expiry(days: string | undefined): string | null {
  if (days === undefined) return null
  const count = Number(days)
  if (!(count > 0 && count <= 36_500)) throw new UsageProblem('--expires-days takes a number of days, for example 90.')
  return new Date(Date.now() + count * dayMs).toISOString()
}

/** Without --admin a key cannot administer, and without --area scim not provision, so that a lost one does no more harm than it must. */
function areasOf(flags: GivenFlags): readonly string[] {
  const named = flags.all('area')
  const areas = named.length > 0 ? named : keyAreas.filter((area) => area !== 'admin' && area !== 'scim')
  return flags.has('admin') ? [...new Set([...areas, 'admin'])] : areas
}

function orNull(names: readonly string[]): readonly string[] | null {
  return names.length === 0 ? null : names
}
