/** `sluice models …` */
import type { AdminClient } from './admin-client.ts'
import { UsageProblem, type Command, type GivenFlags } from '../command.ts'
import { dataCommand, groupIds, modelByName, providerByName } from './data-command.ts'
import { capField } from './provider-flags.ts'
import { tableLines } from '../output.ts'
import { listAll, type ModelOnWire, type ProviderOnWire } from './wire.ts'

const list = dataCommand({
  name: 'models list',
  summary: 'List models.',
  async run(client, { output }) {
    const models = await listAll<ModelOnWire>(client, '/models')
    const providers = await listAll<ProviderOnWire>(client, '/providers')
    const names = new Map(providers.map((provider) => [provider.id, provider.name]))
    const rows = models.map((model) => [
      model.name,
      model.provider_id === null ? 'composite' : (names.get(model.provider_id) ?? model.provider_id),
      model.aliases.join(', ') || '-',
      model.active ? 'active' : 'inactive',
    ])
    output.result(models, () => tableLines(['name', 'provider', 'aliases', 'state'], rows, 'There are no models.'))
    return 0
  },
})

const limitFlags = {
  'max-concurrent': {
    type: 'string',
    placeholder: 'NUMBER',
    sentence: 'Requests under way at its provider at once, over all accounts; "any" removes the cap.',
  },
  batch: {
    type: 'string',
    placeholder: 'WORD',
    sentence: "Where lines of batches run: local, or native as a batch of the provider's own.",
  },
} as const

function limitFields(flags: GivenFlags): Readonly<Record<string, unknown>> {
  const batch = flags.get('batch')
  return { ...capField(flags), ...(batch !== undefined && { batch }) }
}

const add = dataCommand({
  name: 'models add',
  summary: 'Add a model of a provider, or a composite of models.',
  positionals: [{ name: 'NAME', sentence: 'What callers ask for.' }],
  flags: {
    provider: { type: 'string', placeholder: 'NAME', sentence: 'The provider that serves it.' },
    composite: {
      type: 'string',
      placeholder: 'A,B,…',
      sentence: 'In place of a provider: the models that it stands for, the preferred one first.',
    },
    strategy: {
      type: 'string',
      placeholder: 'WORD',
      sentence: 'How a composite chooses: weighted, priority, latency or affinity; weighted when left out.',
    },
    'upstream-name': {
      type: 'string',
      placeholder: 'NAME',
      sentence: "The provider's own name of it; NAME when left out.",
    },
    alias: { type: 'string', placeholder: 'NAME', repeatable: true, sentence: 'A further name that callers may use.' },
    group: {
      type: 'string',
      placeholder: 'NAME',
      repeatable: true,
      sentence: 'Who may use it; everyone when left out.',
    },
    description: { type: 'string', placeholder: 'TEXT', sentence: 'Shown to users.' },
    ...limitFlags,
  },
  async run(client, { positionals: [name = ''], flags, output }) {
    const target = await targetOf(client, flags)
    const groups = await groupIds(client, flags.all('group'))
    const description = flags.get('description')
    const model = (await client.call('POST', '/models', {
      name,
      ...target,
      aliases: flags.all('alias'),
      ...(groups.length > 0 && { groups }),
      ...(description !== undefined && { description }),
      ...limitFields(flags),
    })) as ModelOnWire
    output.result(model, [`Added ${model.name}.`])
    return 0
  },
})

const set = dataCommand({
  name: 'models set',
  summary: 'Change a model; running requests go on as they began.',
  positionals: [{ name: 'NAME', sentence: 'The name of the model.' }],
  flags: limitFlags,
  async run(client, { positionals: [name = ''], flags, output }) {
    const { id } = await modelByName(client, name)
    const model = (await client.call('PATCH', `/models/${id}`, limitFields(flags))) as ModelOnWire
    output.result(model, [`Changed ${model.name}.`])
    return 0
  },
})

const remove = dataCommand({
  name: 'models remove',
  summary: 'Remove models with their aliases; usage records stay.',
  positionals: [{ name: 'NAME', repeatable: true, sentence: 'The name of a model.' }],
  async run(client, { positionals, output }) {
    const models: ModelOnWire[] = []
    for (const name of positionals) models.push(await modelByName(client, name))
    for (const { id } of models) await client.call('DELETE', `/models/${id}`)
    output.result(
      { removed: models.map(({ id }) => id) },
      models.map(({ name }) => `Removed ${name}.`),
    )
    return 0
  },
})

const enable = switchCommand('enable', 'Make a model available again.')
const disable = switchCommand('disable', 'Take a model out of use; it keeps its record.')

function switchCommand(verb: 'disable' | 'enable', summary: string): Command {
  return dataCommand({
    name: `models ${verb}`,
    summary,
    positionals: [{ name: 'NAME', sentence: 'The name of the model.' }],
    async run(client, { positionals: [name = ''], output }) {
      const { id } = await modelByName(client, name)
      const model = (await client.call('PATCH', `/models/${id}`, { active: verb === 'enable' })) as ModelOnWire
      output.result(model, [`${model.name} is ${verb}d.`])
      return 0
    },
  })
}

export const modelCommands: readonly Command[] = [list, add, set, enable, disable, remove]

/** The fields of a new model that say where its requests go. */
async function targetOf(client: AdminClient, flags: GivenFlags): Promise<object> {
  const providerName = flags.get('provider')
  const models = flags.get('composite')
  const upstreamName = flags.get('upstream-name')
  const strategy = flags.get('strategy')
  if ((providerName === undefined) === (models === undefined))
    throw new UsageProblem('Say what serves it: either --provider NAME or --composite A,B.')
  if (models === undefined && strategy !== undefined) throw new UsageProblem('--strategy is for a --composite.')
  if (models !== undefined && upstreamName !== undefined)
    throw new UsageProblem('A composite has no --upstream-name: its models have theirs.')
  if (providerName !== undefined) {
    const { id } = await providerByName(client, providerName)
    return { provider_id: id, ...(upstreamName !== undefined && { upstream_name: upstreamName }) }
  }
  // The order counts with the strategy "priority" only.
  const components = (models ?? '').split(',').map((model, priority) => ({ model: model.trim(), priority }))
  return { composite: { components, ...(strategy !== undefined && { strategy }) } }
}
