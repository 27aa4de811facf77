/** `sluice providers …` */
import { processEnvironment, readEnvironment } from '#config/sources/environment.ts'
import { presetBaseUrl, providerPresets, type ProviderPreset } from '#providers/presets.ts'
import { CommandFailure, UsageProblem, type Command, type ExitCode, type GivenFlags } from '../command.ts'
import { dataCommand, groupIds, providerByName } from './data-command.ts'
import { tableLines } from '../output.ts'
import { listAll, type ImportAnswer, type ProviderOnWire, type TestAnswer } from './wire.ts'

const name = { name: 'NAME', sentence: 'The name of the provider.' } as const

const list = dataCommand({
  name: 'providers list',
  summary: 'List providers.',
  async run(client, { output }) {
    const providers = await listAll<ProviderOnWire>(client, '/providers')
    const rows = providers.map((provider) => [
      provider.name,
      provider.kind,
      provider.base_url || '-',
      provider.enabled ? 'enabled' : 'disabled',
    ])
    output.result(providers, () => tableLines(['name', 'kind', 'address', 'state'], rows, 'There are no providers.'))
    return 0
  },
})

const add = dataCommand({
  name: 'providers add',
  summary: 'Add a provider with all models that it offers.',
  details: `Known by name: ${providerPresets.map((preset) => preset.name).join(', ')}. Any other needs --base-url.`,
  positionals: [{ name: 'NAME', sentence: 'One of the known ones, or a name for another provider.' }],
  flags: {
    name: { type: 'string', placeholder: 'NAME', sentence: 'Another name for one of the known ones.' },
    kind: { type: 'string', placeholder: 'KIND', sentence: 'How it is spoken to; openai when left out.' },
    'base-url': {
      type: 'string',
      placeholder: 'URL',
      sentence: 'Its address, up to /v1 or what it has in place of that.',
    },
    'credential-env': {
      type: 'string',
      placeholder: 'VARIABLE',
      sentence: 'Environment variable that holds its API key; for the known ones the usual one when left out.',
    },
    group: {
      type: 'string',
      placeholder: 'NAME',
      repeatable: true,
      sentence: 'Who may use its models; everyone when left out.',
    },
    'no-models': { type: 'boolean', sentence: 'Do not ask it for its models.' },
  },
  async run(client, { positionals: [given = ''], flags, output }) {
    const groups = await groupIds(client, flags.all('group'))
    const wanted = wantedProvider(given, flags)
    if (flags.has('no-models')) {
      const provider = (await client.call('POST', '/providers', wanted)) as ProviderOnWire
      output.result({ provider, models: [] }, [`Added ${provider.name}.`])
      return 0
    }
    // Asked before it is added, so that a mistyped address leaves nothing behind.
    const asked = (await client.call('POST', '/providers/test', wanted)) as TestAnswer
    if (!asked.ok)
      throw new CommandFailure(`${wanted.name} at ${wanted.base_url} does not offer its models. ${asked.error ?? ''}`)
    const provider = (await client.call('POST', '/providers', wanted)) as ProviderOnWire
    const path = `/providers/${provider.id}/import-models`
    const imported = (await client.call('POST', path, {
      ids: null,
      ...(groups.length > 0 && { groups }),
    })) as ImportAnswer
    const names = imported.imported.map((model) => model.name)
    output.result({ provider, ...imported }, [
      `Added ${provider.name} with ${counted(names.length)} for ${flags.all('group').join(', ') || 'everyone'}:`,
      ...names.map((model) => `  ${model}`),
      ...imported.skipped.map(({ id, reason }) => `  ${id} was left out: ${skipReasons[reason]}.`),
    ])
    return 0
  },
})

const test = dataCommand({
  name: 'providers test',
  summary: 'Ask a provider for its models.',
  positionals: [name],
  async run(client, { positionals: [given = ''], output }): Promise<ExitCode> {
    const { id } = await providerByName(client, given)
    const answer = (await client.call('POST', `/providers/${id}/test`)) as TestAnswer
    if (!answer.ok) {
      if (output.json) output.result(answer, [])
      else output.problems([`${given} does not offer its models. ${answer.error ?? ''}`])
      return 1
    }
    output.result(answer, [
      `${given} answers in ${Math.round(answer.latency_ms)} ms and offers ${counted(answer.models.length)}:`,
      ...answer.models.map((model) => `  ${model.id}`),
    ])
    return 0
  },
})

const remove = dataCommand({
  name: 'providers remove',
  summary: 'Remove a provider.',
  positionals: [name],
  flags: { cascade: { type: 'boolean', sentence: 'Remove its models, too; without it a provider with models stays.' } },
  async run(client, { positionals: [given = ''], flags, output }) {
    const { id } = await providerByName(client, given)
    await client.call('DELETE', `/providers/${id}${flags.has('cascade') ? '?cascade=true' : ''}`)
    output.result({ removed: id }, [`Removed ${given}.`])
    return 0
  },
})

export const providerCommands: readonly Command[] = [list, add, test, remove]

interface WantedProvider {
  readonly name: string
  readonly kind: string
  readonly base_url: string
  readonly credential?: string
  readonly headers?: Readonly<Record<string, string>>
}

function wantedProvider(given: string, flags: GivenFlags): WantedProvider {
  const preset = providerPresets.find((candidate) => candidate.name === given)
  const kind = flags.get('kind') ?? preset?.kind ?? 'openai'
  const baseUrl = flags.get('base-url') ?? (preset === undefined ? undefined : presetBaseUrl(preset))
  if (baseUrl === undefined && kind === 'openai') {
    const known = providerPresets.map((candidate) => candidate.name).join(', ')
    throw new UsageProblem(`"${given}" is none of the known providers (${known}): add --base-url URL.`)
  }
  const credential = credentialOf(preset, flags.get('credential-env'))
  const headers = preset?.place === 'vendor' ? preset.headers : undefined
  return {
    name: flags.get('name') ?? given,
    kind,
    base_url: baseUrl ?? '',
    ...(credential !== null && { credential }),
    ...(headers !== undefined && { headers }),
  }
}

function credentialOf(preset: ProviderPreset | undefined, variable: string | undefined): string | null {
  const usual = preset?.place === 'vendor' ? preset.credentialVariables : []
  const names = variable === undefined ? usual : [variable]
  if (names.length === 0) return null
  const [secret] = readEnvironment(names, processEnvironment()).values()
  if (secret !== undefined) return secret.reveal()
  throw new UsageProblem(
    `The environment variable ${names.join(' or ')} is not set: it has to hold the API key of the provider.`,
  )
}

function counted(models: number): string {
  return models === 1 ? '1 model' : `${models} models`
}

const skipReasons = {
  name_taken: 'the name is taken',
  not_offered: 'it is no longer offered',
  invalid_name: 'its name cannot be used',
} as const
