/** `sluice prices …` */
import { formatMoney, formatNano, parseNano } from '#pricing/nano.ts'
import { priceKinds, type PriceKind, type Rates } from '#pricing/price.ts'
import { UsageProblem, type Command } from '../command.ts'
import { tableLines } from '../output.ts'
import { dataCommand, modelByName } from './data-command.ts'

interface PriceOnWire {
  readonly id: string
  readonly source: string
  readonly valid_from: string
  readonly rates: Rates
  readonly tiers: readonly { readonly above: number; readonly rates: Rates }[]
  readonly note: string
  readonly replaced_at: string | null
}

interface ModelPriceOnWire {
  readonly model: string
  readonly provider: string
  readonly price: PriceOnWire | null
}

const model = { name: 'MODEL', sentence: 'The name of a model.' } as const
const kinds = priceKinds.map((kind) => kind.replaceAll('_', '-')).join(', ')

const list = dataCommand({
  name: 'prices list',
  summary: 'List what each model costs now.',
  async run(client, { output }) {
    const answer = (await client.call('GET', '/prices')) as {
      readonly currency: string
      readonly data: readonly ModelPriceOnWire[]
    }
    const rows = answer.data.map(({ model: name, provider, price }) => [
      name,
      provider,
      price === null ? 'unknown' : shownRates(price),
      price === null ? '-' : sourceOf(price),
    ])
    output.result(answer, () =>
      tableLines(['model', 'provider', `price (${answer.currency})`, 'source'], rows, 'There are no models.'),
    )
    return 0
  },
})

const set = dataCommand({
  name: 'prices set',
  summary: 'Set the price of a model.',
  details: `For example: sluice prices set gpt-4o input=2.50 output=10. Kinds: ${kinds}. Tokens are priced per million, all else for one; seconds are seconds of audio.`,
  positionals: [model, { name: 'KIND=AMOUNT', repeatable: true, sentence: 'What a kind costs, in the currency.' }],
  flags: {
    from: { type: 'string', placeholder: 'TIME', sentence: 'Valid from this time, for example 2026-01-31T00:00:00Z.' },
    note: { type: 'string', placeholder: 'TEXT', sentence: 'Where the price comes from.' },
  },
  async run(client, { positionals: [name = '', ...given], flags, output }) {
    const { id } = await modelByName(client, name)
    const body = { rates: ratesOf(given), valid_from: flags.get('from'), note: flags.get('note') }
    const price = (await client.call('POST', `/models/${id}/prices`, body)) as PriceOnWire
    output.result(price, [`${name} costs ${shownRates(price)} from ${price.valid_from}.`])
    return 0
  },
})

const history = dataCommand({
  name: 'prices history',
  summary: 'List every price that a model ever had.',
  positionals: [model],
  async run(client, { positionals: [name = ''], output }) {
    const { id } = await modelByName(client, name)
    const { data } = (await client.call('GET', `/models/${id}/prices`)) as { readonly data: readonly PriceOnWire[] }
    const rows = data.map((price) => [
      price.valid_from,
      shownRates(price),
      sourceOf(price),
      price.replaced_at === null ? '-' : price.replaced_at,
      price.id,
    ])
    output.result(data, () =>
      tableLines(['valid from', 'price', 'source', 'replaced', 'id'], rows, `${name} has no price.`),
    )
    return 0
  },
})

const take = dataCommand({
  name: 'prices import',
  summary: "Take the list prices of the vendors' catalogue.",
  details: 'Prices that you set still precede.',
  positionals: [{ ...model, optional: true, repeatable: true, sentence: 'The names of models; all when left out.' }],
  async run(client, { positionals: names, output }) {
    const models = await Promise.all(names.map((name) => modelByName(client, name)))
    const body = names.length === 0 ? {} : { model_ids: models.map(({ id }) => id) }
    const answer = (await client.call('POST', '/prices/import', body)) as {
      readonly priced: readonly string[]
      readonly unknown: readonly string[]
    }
    output.result(answer, [
      ...answer.priced.map((name) => `${name} has its list price.`),
      ...answer.unknown.map((name) => `${name} is not in the catalogue: its price is unknown unless you set it.`),
    ])
    return 0
  },
})

const remove = dataCommand({
  name: 'prices remove',
  summary: 'Remove a price of a model.',
  positionals: [model, { name: 'ID', sentence: 'The id of the price, from sluice prices history.' }],
  async run(client, { positionals: [name = '', price = ''], output }) {
    const { id } = await modelByName(client, name)
    await client.call('DELETE', `/models/${id}/prices/${encodeURIComponent(price)}`)
    output.result({ removed: price }, [`Removed a price of ${name}.`])
    return 0
  },
})

interface RecomputedOnWire {
  readonly records: number
  readonly changed: number
  readonly skipped: number
  readonly before: number
  readonly after: number
  readonly next_cursor: string | null
}

const recompute = dataCommand({
  name: 'prices recompute',
  summary: 'Compute the costs of a period again, by the prices of now.',
  details:
    'For example: sluice prices recompute --from 2026-01-01T00:00:00Z --to 2026-02-01T00:00:00Z --dry-run. It can be broken off and begun again.',
  flags: {
    from: { type: 'string', placeholder: 'TIME', sentence: 'Requests from this time on.' },
    to: { type: 'string', placeholder: 'TIME', sentence: 'Requests before this time.' },
    model: { type: 'string', placeholder: 'NAME', sentence: 'Only requests of this model.' },
    'dry-run': { type: 'boolean', sentence: 'Only say what would change.' },
  },
  async run(client, { flags, output }) {
    const [from, to, name] = [flags.get('from'), flags.get('to'), flags.get('model')]
    if (from === undefined || to === undefined) throw new UsageProblem('Give the period with --from and --to.')
    const dryRun = flags.has('dry-run')
    const only = name === undefined ? {} : { model_ids: [(await modelByName(client, name)).id] }
    const sums = { records: 0, changed: 0, skipped: 0, before: 0, after: 0 }
    let cursor: string | null = null
    do {
      const body = { from, to, dry_run: dryRun, cursor, ...only }
      const part = (await client.call('POST', '/prices/recompute', body)) as RecomputedOnWire
      for (const key of ['records', 'changed', 'skipped', 'before', 'after'] as const) sums[key] += part[key]
      cursor = part.next_cursor
    } while (cursor !== null)
    output.result({ ...sums, dry_run: dryRun }, [
      `${sums.changed} of ${sums.records} requests ${dryRun ? 'would have' : 'have'} another cost.`,
      `Their cost: ${formatMoney(sums.before)} before, ${formatMoney(sums.after)} ${dryRun ? 'then' : 'now'}.`,
      ...(sums.skipped === 0 ? [] : [`${sums.skipped} keep their cost, because their model does not exist any more.`]),
    ])
    return 0
  },
})

export const priceCommands: readonly Command[] = [list, set, history, take, remove, recompute]

function ratesOf(given: readonly string[]): Rates {
  const rates: Partial<Record<PriceKind, number>> = {}
  for (const part of given) {
    const [written = '', amount = ''] = part.split(/=(.*)/s)
    const kind = priceKinds.find((each) => each === written.replaceAll('-', '_'))
    if (kind === undefined) throw new UsageProblem(`"${written}" is not a kind of price. The kinds are ${kinds}.`)
    const nano = parseNano(amount)
    if (nano === null) throw new UsageProblem(`"${amount}" is not an amount. Write it like 2.50.`)
    rates[kind] = nano
  }
  if (given.length === 0) throw new UsageProblem('Name at least one kind with its amount, for example input=2.50.')
  return rates
}

function shownRates({ rates, tiers }: Pick<PriceOnWire, 'rates' | 'tiers'>): string {
  const text = Object.entries(rates)
    .map(([kind, nano]) => `${kind.replaceAll('_', '-')} ${formatNano(nano)}`)
    .join(', ')
  const more = tiers.map((tier) => `; above ${tier.above} tokens: ${shownRates({ rates: tier.rates, tiers: [] })}`)
  return (text === '' ? 'nothing' : text) + more.join('')
}

function sourceOf({ source, note }: PriceOnWire): string {
  return note === '' ? source : `${source} (${note})`
}
