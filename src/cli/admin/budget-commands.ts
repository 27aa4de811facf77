/** `sluice budgets …` */
import { formatMoney, parseNano } from '#pricing/nano.ts'
import { UsageProblem, type Command } from '../command.ts'
import { tableLines } from '../output.ts'
import type { AdminClient } from './admin-client.ts'
import { dataCommand, groupByName, modelByName, providerByName, userByEmail } from './data-command.ts'
import {
  listAll,
  type GroupOnWire,
  type KeyOnWire,
  type ModelOnWire,
  type ProviderOnWire,
  type UserOnWire,
} from './wire.ts'

interface BudgetOnWire {
  readonly id: string
  readonly scope: string
  readonly scope_id: string
  readonly period: string
  readonly amount: number
  readonly hard: boolean
  readonly spent: number
  readonly unreconciled: number
  readonly left: number
  readonly renews_at: string | null
}

interface ProofOnWire {
  readonly counters: number
  readonly difference: number
  readonly data: readonly { readonly counter: string; readonly spent: number; readonly recomputed: number }[]
}

const id = { name: 'ID', sentence: 'The id of the budget, from sluice budgets list.' } as const

const list = dataCommand({
  name: 'budgets list',
  summary: 'List budgets with what is spent.',
  async run(client, { output }) {
    const { currency, data } = (await client.call('GET', '/budgets')) as {
      readonly currency: string
      readonly data: readonly BudgetOnWire[]
    }
    const names = output.json ? new Map<string, string>() : await namesOf(client)
    const rows = data.map((budget) => [
      `${budget.scope} ${names.get(budget.scope_id) ?? budget.scope_id}`,
      budget.period,
      budget.hard ? 'hard' : 'soft',
      formatMoney(budget.amount),
      formatMoney(budget.spent),
      formatMoney(budget.left),
      budget.unreconciled === 0 ? '-' : formatMoney(budget.unreconciled),
      budget.renews_at ?? 'never',
      budget.id,
    ])
    const columns = ['on', 'period', 'kind', `amount (${currency})`, 'spent', 'left', 'unreconciled', 'renews', 'id']
    output.result(data, () => tableLines(columns, rows, 'There are no budgets.'))
    return 0
  },
})

const add = dataCommand({
  name: 'budgets add',
  summary: 'Limit what a key, user, group, model or provider may cost.',
  details: 'For example: sluice budgets add user ada@example.org 50 --period month.',
  positionals: [
    { name: 'SCOPE', sentence: 'key, user, group, model or provider.' },
    { name: 'NAME', sentence: 'Its name; the e-mail address of a user, the id of a key.' },
    { name: 'AMOUNT', sentence: 'In the currency, for example 12.50.' },
  ],
  flags: {
    period: { type: 'string', placeholder: 'PERIOD', sentence: 'Day, week, month (when left out) or total.' },
    'time-zone': { type: 'string', placeholder: 'ZONE', sentence: 'Where days begin: UTC when left out.' },
    soft: { type: 'boolean', sentence: 'Only count and notify.' },
  },
  async run(client, { positionals: [scope = '', name = '', amount = ''], flags, output }) {
    const body = {
      scope,
      scope_id: await scopeId(client, scope, name),
      amount: amountOf(amount),
      period: flags.get('period') ?? 'month',
      time_zone: flags.get('time-zone'),
      hard: !flags.has('soft'),
    }
    const budget = (await client.call('POST', '/budgets', body)) as BudgetOnWire
    output.result(budget, [`The ${scope} ${name} may cost ${formatMoney(budget.amount)} each ${budget.period}.`])
    return 0
  },
})

const set = dataCommand({
  name: 'budgets set',
  summary: 'Change the amount of a budget; what is spent stays.',
  positionals: [id, { name: 'AMOUNT', sentence: 'In the currency, for example 12.50.' }],
  async run(client, { positionals: [given = '', amount = ''], output }) {
    const path = `/budgets/${encodeURIComponent(given)}`
    const budget = (await client.call('PATCH', path, { amount: amountOf(amount) })) as BudgetOnWire
    output.result(budget, [`The budget is ${formatMoney(budget.amount)}; ${formatMoney(budget.left)} are left.`])
    return 0
  },
})

const remove = dataCommand({
  name: 'budgets remove',
  summary: 'Remove a budget.',
  positionals: [id],
  async run(client, { positionals: [given = ''], output }) {
    await client.call('DELETE', `/budgets/${encodeURIComponent(given)}`)
    output.result({ removed: given }, [`Removed the budget.`])
    return 0
  },
})

const verify = dataCommand({
  name: 'budgets verify',
  summary: 'Recompute what is spent from the usage records, and compare.',
  details: 'Ends with 1 when there is a difference.',
  async run(client, { output }) {
    const proof = (await client.call('GET', '/budgets-proof')) as ProofOnWire
    output.result(proof, [
      ...proof.data.map(
        ({ counter, spent, recomputed }) =>
          `${counter}: the counter says ${formatMoney(spent)}, the records say ${formatMoney(recomputed)}.`,
      ),
      `${proof.counters} counters, difference ${formatMoney(proof.difference)}.`,
    ])
    return proof.difference === 0 ? 0 : 1
  },
})

const reconcile = dataCommand({
  name: 'budgets reconcile',
  summary: 'Make free what killed processes held of a budget.',
  details: 'Their last requests may have cost it: look at the bill of the provider first.',
  positionals: [id],
  async run(client, { positionals: [given = ''], output }) {
    const path = `/budgets/${encodeURIComponent(given)}/reconcile`
    const answer = (await client.call('POST', path)) as { readonly released: number }
    output.result(answer, [`${formatMoney(answer.released)} are free again.`])
    return 0
  },
})

export const budgetCommands: readonly Command[] = [list, add, set, remove, verify, reconcile]

function amountOf(text: string): number {
  const nano = parseNano(text)
  if (nano === null) throw new UsageProblem(`"${text}" is not an amount. Write it like 12.50.`)
  return nano
}

async function scopeId(client: AdminClient, scope: string, name: string): Promise<string> {
  if (scope === 'key') return name
  if (scope === 'user') return (await userByEmail(client, name)).id
  if (scope === 'group') return (await groupByName(client, name)).id
  if (scope === 'model') return (await modelByName(client, name)).id
  if (scope === 'provider') return (await providerByName(client, name)).id
  throw new UsageProblem(`"${scope}" is not a scope. The scopes are key, user, group, model and provider.`)
}

async function namesOf(client: AdminClient): Promise<ReadonlyMap<string, string>> {
  const [users, groups, models, providers, keys] = await Promise.all([
    listAll<UserOnWire>(client, '/users'),
    listAll<GroupOnWire>(client, '/groups'),
    listAll<ModelOnWire>(client, '/models'),
    listAll<ProviderOnWire>(client, '/providers'),
    listAll<KeyOnWire>(client, '/keys'),
  ])
  return new Map([
    ...users.map((user) => [user.id, user.email] as const),
    ...[...groups, ...models, ...providers, ...keys].map((each) => [each.id, each.name] as const),
  ])
}
