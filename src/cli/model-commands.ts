/** `sluice models …` */
import { UsageProblem, type Command } from './command.ts'
import { dataCommand, groupIds, providerByName } from './data-command.ts'
import { tableLines } from './output.ts'
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
      names.get(model.provider_id) ?? model.provider_id,
      model.aliases.join(', ') || '-',
      model.active ? 'active' : 'inactive',
    ])
    output.result(models, () => tableLines(['name', 'provider', 'aliases', 'state'], rows, 'There are no models.'))
    return 0
  },
})

const add = dataCommand({
  name: 'models add',
  summary: 'Add a model of a provider.',
  positionals: [{ name: 'NAME', sentence: 'What callers ask for.' }],
  flags: {
    provider: { type: 'string', placeholder: 'NAME', sentence: 'The provider that serves it. Required.' },
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
  },
  async run(client, { positionals: [name = ''], flags, output }) {
    const providerName = flags.get('provider')
    if (providerName === undefined) throw new UsageProblem('Say which provider serves it: --provider NAME.')
    const provider = await providerByName(client, providerName)
    const groups = await groupIds(client, flags.all('group'))
    const description = flags.get('description')
    const upstreamName = flags.get('upstream-name')
    const model = (await client.call('POST', '/models', {
      name,
      provider_id: provider.id,
      aliases: flags.all('alias'),
      ...(groups.length > 0 && { groups }),
      ...(description !== undefined && { description }),
      ...(upstreamName !== undefined && { upstream_name: upstreamName }),
    })) as ModelOnWire
    output.result(model, [`Added ${model.name}.`])
    return 0
  },
})

export const modelCommands: readonly Command[] = [list, add]
