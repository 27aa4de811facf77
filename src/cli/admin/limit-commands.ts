/** `sluice limits …`: the rate limits, which are the setting `limits.rates`, rule by rule, and accounts' in-flight limits. */
import { UsageProblem, type Command } from '../command.ts'
import { tableLines } from '../output.ts'
import { dataCommand, modelByName, userByEmail } from './data-command.ts'
import { Refusal, type AdminClient } from './admin-client.ts'
import type { SettingOnWire } from './wire.ts'

const setting = 'limits.rates'
const path = `/settings/${setting}`
const rule = {
  name: 'RULE',
  sentence: 'The rule, for example "user:* model:gpt-4o tokens 100000/minute burst 20000".',
} as const

const list = dataCommand({
  name: 'limits list',
  summary: 'List the rate limits.',
  async run(client, { output }) {
    const { rules } = await readRules(client)
    const rows = rules.map((text) => [text])
    output.result(rules, () => tableLines(['limit'], rows, 'There are no rate limits.'))
    return 0
  },
})

const add = dataCommand({
  name: 'limits add',
  summary: 'Add a rate limit; it applies to the next request.',
  positionals: [rule],
  async run(client, { positionals: [text = ''], output }) {
    output.result(await changeRules(client, (rules) => [...rules, text]), [`Added ${text}.`])
    return 0
  },
})

const remove = dataCommand({
  name: 'limits remove',
  summary: 'Remove a rate limit, written as the list shows it.',
  positionals: [rule],
  async run(client, { positionals: [text = ''], output }) {
    const changed = await changeRules(client, (rules) => {
      const left = rules.filter((each) => each !== text)
      return left.length === rules.length ? null : left
    })
    if (changed === null) {
      output.problems([`There is no rate limit "${text}". List them with: sluice limits list`])
      return 1
    }
    output.result(changed, [`Removed ${text}.`])
    return 0
  },
})

const inflight = dataCommand({
  name: 'limits in-flight',
  summary: "List accounts' own in-flight limits.",
  async run(client, { output }) {
    const { data } = (await client.call('GET', '/inflight-limits')) as { readonly data: readonly InflightLimitOnWire[] }
    const rows = data.map(({ user, model, limit }) => [user, model, String(limit)])
    output.result(data, () => tableLines(['user', 'model', 'limit'], rows, 'No account has a limit of its own.'))
    return 0
  },
})

const setInflight = dataCommand({
  name: 'limits set-in-flight',
  summary: "Set an account's own in-flight limit for a model.",
  positionals: [
    { name: 'EMAIL', sentence: 'The e-mail address of the user.' },
    { name: 'MODEL', sentence: 'The name of the model.' },
    { name: 'NUMBER', sentence: 'Requests in flight at once; "model" goes back to the limit of the model.' },
  ],
  async run(client, { positionals: [email = '', name = '', given = ''], output }) {
    const back = given === 'model'
    if (!back && !/^\d+$/.test(given)) throw new UsageProblem(`"${given}" is not a number, and not "model".`)
    const [user, model] = await Promise.all([userByEmail(client, email), modelByName(client, name)])
    const address = `/models/${model.id}/inflight-limits/${user.id}`
    if (back) await client.call('DELETE', address)
    else await client.call('PUT', address, { limit: Number(given) })
    const told = back ? `the limit of ${name}` : `a limit of ${given} for ${name}`
    output.result({ user: user.email, model: name, limit: back ? null : Number(given) }, [`${user.email} has ${told}.`])
    return 0
  },
})

export const limitCommands: readonly Command[] = [list, add, remove, inflight, setInflight]

interface InflightLimitOnWire {
  readonly user: string
  readonly model: string
  readonly limit: number
}

interface Rules {
  readonly rules: readonly string[]
  readonly etag: string
}

async function readRules(client: AdminClient): Promise<Rules> {
  const { data } = (await client.call('GET', '/settings')) as { readonly data: readonly SettingOnWire[] }
  const found = data.find(({ name }) => name === setting)
  return { rules: Array.isArray(found?.value) ? found.value.map(String) : [], etag: found?.etag ?? '*' }
}

/** Changes the rules as they are, also when others change them at the same time; null when `change` leaves them alone. */
async function changeRules(
  client: AdminClient,
  change: (rules: readonly string[]) => readonly string[] | null,
): Promise<unknown> {
  for (;;) {
    const { rules, etag } = await readRules(client)
    const value = change(rules)
    if (value === null) return null
    try {
      return await client.call('PUT', path, { value }, etag)
    } catch (thrown) {
      // Another change came first: read the list again.
      if (!(thrown instanceof Refusal && thrown.code === 'record_changed')) throw thrown
    }
  }
}
