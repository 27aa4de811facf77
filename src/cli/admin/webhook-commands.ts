/** `sluice webhooks …` */
import { UsageProblem, type Command } from '../command.ts'
import { tableLines } from '../output.ts'
import { dataCommand, userByEmail } from './data-command.ts'
import { listAll } from './wire.ts'

interface WebhookOnWire {
  readonly id: string
  readonly url: string
  readonly types: readonly string[]
  readonly enabled: boolean
  readonly disabled_reason: string | null
  readonly failing_since: string | null
  readonly dropped: number
  readonly former_secret_until: string | null
  /** Only in the answers to its creation and to a rotation. */
  readonly secret?: string
}

interface DeliveryOnWire {
  readonly id: string
  readonly type: string
  readonly state: string
  readonly attempts: number
  readonly created_at: string
  readonly status: number | null
  readonly error: string | null
}

interface AttemptOnWire {
  readonly delivered: boolean
  readonly status: number | null
  readonly error: string | null
  readonly duration_ms: number
}

const id = { name: 'ID', sentence: 'The id of the endpoint, from sluice webhooks list.' } as const
const pathOf = (given: string): string => `/webhooks/${encodeURIComponent(given)}`

const list = dataCommand({
  name: 'webhooks list',
  summary: 'List the endpoints to which events are sent.',
  async run(client, { output }) {
    const { data } = (await client.call('GET', '/webhooks')) as { readonly data: readonly WebhookOnWire[] }
    const rows = data.map((endpoint) => [
      endpoint.url,
      stateOf(endpoint),
      String(endpoint.types.length),
      String(endpoint.dropped),
      endpoint.id,
    ])
    output.result(data, () => tableLines(['url', 'state', 'types', 'dropped', 'id'], rows, 'There are no webhooks.'))
    return 0
  },
})

const add = dataCommand({
  name: 'webhooks add',
  summary: 'Send events to a URL, and print the secret that signs them, this once.',
  details: 'For example: sluice webhooks add https://example.org/hook --type provider.down --type provider.up.',
  positionals: [{ name: 'URL', sentence: 'Where events are sent by POST.' }],
  flags: {
    type: {
      type: 'string',
      placeholder: 'TYPE',
      repeatable: true,
      sentence: 'Only events of this type; all when left out.',
    },
    user: { type: 'string', placeholder: 'EMAIL', sentence: 'Only events that belong to this user.' },
    description: { type: 'string', placeholder: 'TEXT', sentence: 'What it is for.' },
  },
  async run(client, { positionals: [url], flags, output }) {
    const types = flags.all('type')
    const email = flags.get('user')
    const endpoint = (await client.call('POST', '/webhooks', {
      url,
      description: flags.get('description') ?? '',
      ...(types.length > 0 && { types }),
      ...(email !== undefined && { user_id: (await userByEmail(client, email)).id }),
    })) as WebhookOnWire
    // The secret alone on stdout, so that SECRET=$(sluice webhooks add …) works.
    output.remark(`Added the endpoint ${endpoint.id}. Its secret is shown this once:`)
    output.result(endpoint, [String(endpoint.secret)])
    return 0
  },
})

const remove = dataCommand({
  name: 'webhooks remove',
  summary: 'Remove an endpoint with its deliveries.',
  positionals: [id],
  async run(client, { positionals: [given = ''], output }) {
    await client.call('DELETE', pathOf(given))
    output.result({ removed: given }, ['Removed the endpoint.'])
    return 0
  },
})

const probe = dataCommand({
  name: 'webhooks test',
  summary: 'Send a ping to an endpoint now.',
  details: 'Ends with 1 when it was not accepted.',
  positionals: [id],
  async run(client, { positionals: [given = ''], output }) {
    const attempt = (await client.call('POST', `${pathOf(given)}/test`)) as AttemptOnWire
    const took = `after ${attempt.duration_ms} ms`
    output.result(attempt, [attempt.error ?? `The receiver accepted it with status ${attempt.status} ${took}.`])
    return attempt.delivered ? 0 : 1
  },
})

const deliveries = dataCommand({
  name: 'webhooks deliveries',
  summary: 'List the deliveries of an endpoint, the newest first.',
  positionals: [id],
  flags: {
    state: { type: 'string', placeholder: 'STATE', sentence: 'Only those that are waiting, delivered or failed.' },
  },
  async run(client, { positionals: [given = ''], flags, output }) {
    const state = flags.get('state')
    const query = state === undefined ? '' : `?state=${encodeURIComponent(state)}`
    const data = await listAll<DeliveryOnWire>(client, `${pathOf(given)}/deliveries${query}`)
    const rows = data.map((each) => [
      each.created_at,
      each.type,
      each.state,
      String(each.attempts),
      each.error ?? String(each.status ?? '-'),
      each.id,
    ])
    const columns = ['created', 'type', 'state', 'attempts', 'answer', 'id']
    output.result(data, () => tableLines(columns, rows, 'There are no deliveries.'))
    return 0
  },
})

const replay = dataCommand({
  name: 'webhooks replay',
  summary: 'Send one delivery again, or all that failed since a time.',
  positionals: [id, { name: 'DELIVERY', optional: true, sentence: 'The id of one delivery.' }],
  flags: {
    since: { type: 'string', placeholder: 'TIME', sentence: 'All that failed since then, like 2026-01-31T12:00:00Z.' },
  },
  async run(client, { positionals: [given = '', delivery], flags, output }) {
    const since = flags.get('since')
    if ((delivery === undefined) === (since === undefined))
      throw new UsageProblem('Say which: the id of one delivery, or --since TIME.')
    if (delivery !== undefined) {
      const path = `${pathOf(given)}/deliveries/${encodeURIComponent(delivery)}/replay`
      output.result(await client.call('POST', path), ['It is sent again.'])
      return 0
    }
    const answer = (await client.call('POST', `${pathOf(given)}/replay`, { since })) as { readonly replayed: number }
    output.result(answer, [`${answer.replayed} deliveries are sent again.`])
    return 0
  },
})

const rotate = dataCommand({
  name: 'webhooks rotate',
  summary: 'Give an endpoint a new secret and print it, this once.',
  positionals: [id],
  flags: {
    'overlap-hours': {
      type: 'string',
      placeholder: 'HOURS',
      sentence: 'How long the secret before signs, too; 24 when left out.',
    },
  },
  async run(client, { positionals: [given = ''], flags, output }) {
    const hours = flags.get('overlap-hours')
    const body = hours === undefined ? {} : { overlap_hours: Number(hours) }
    const endpoint = (await client.call('POST', `${pathOf(given)}/rotate`, body)) as WebhookOnWire
    output.remark(`The secret before signs until ${endpoint.former_secret_until}. The new one is shown this once:`)
    output.result(endpoint, [String(endpoint.secret)])
    return 0
  },
})

export const webhookCommands: readonly Command[] = [list, add, remove, probe, deliveries, replay, rotate]

function stateOf({ enabled, disabled_reason: reason, failing_since: failingSince }: WebhookOnWire): string {
  if (!enabled) return `off: ${reason}`
  return failingSince === null ? 'on' : `failing since ${failingSince}`
}
