/** `sluice providers …` */
import { processEnvironment, readEnvironment } from '#config/sources/environment.ts'
import { presetBaseUrl, providerPresets, type ProviderPreset } from '#providers/presets.ts'
import { CommandFailure, UsageProblem, type Command, type ExitCode, type GivenFlags } from '../command.ts'
import type { AdminClient } from './admin-client.ts'
import { dataCommand, groupIds, providerByName } from './data-command.ts'
import { tableLines } from '../output.ts'
import { connectionFields, connectionFlags, serversField, valueOfVariable } from './provider-flags.ts'
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
      addressOf(provider),
      provider.enabled ? 'enabled' : 'disabled',
    ])
    output.result(providers, () => tableLines(['name', 'kind', 'address', 'state'], rows, 'There are no providers.'))
    return 0
  },
})

function addressOf({ base_url: url, servers }: ProviderOnWire): string {
  if (servers === null) return url || '-'
  const more = servers.urls.length === 0 ? '' : ` and ${servers.urls.length} more`
  return `${url}${servers.dns === null ? '' : ` by ${servers.dns.toUpperCase()} records`}${more}`
}

const add = dataCommand({
  name: 'providers add',
  summary: 'Add a provider with all models that it offers.',
  details: `Known by name: ${providerPresets.map((preset) => preset.name).join(', ')}. Any other needs --base-url.`,
  positionals: [{ name: 'NAME', sentence: 'One of the known ones, or a name for another provider.' }],
  flags: {
    name: { type: 'string', placeholder: 'NAME', sentence: 'Another name for one of the known ones.' },
    ...connectionFlags,
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
    const answering = await answeringProvider(client, wanted)
    if (answering !== wanted)
      output.remark(`${wanted.base_url} lists no models, ${answering.base_url} does: it is used.`)
    const provider = (await client.call('POST', '/providers', answering)) as ProviderOnWire
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
      else output.problems([`${given} does not list its models. ${answer.error ?? ''}`])
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

const set = dataCommand({
  name: 'providers set',
  summary: 'Change a provider; running requests go on as they began.',
  details:
    'With another server in --base-url, the credential and all headers must be given again: a stored secret never goes to a new address.',
  positionals: [name],
  flags: {
    name: { type: 'string', placeholder: 'NAME', sentence: 'Its new name.' },
    ...connectionFlags,
    'no-credential': { type: 'boolean', sentence: 'Remove its API key.' },
    'one-server': { type: 'boolean', sentence: 'Forget all servers but the one at its address.' },
    enable: { type: 'boolean', sentence: 'Put it to use again.' },
    disable: { type: 'boolean', sentence: 'Take it out of use with all its models.' },
  },
  async run(client, { positionals: [given = ''], flags, output }) {
    const { id, servers } = await providerByName(client, given)
    const variable = flags.get('credential-env')
    if (flags.has('enable') && flags.has('disable')) throw new UsageProblem('Say either --enable or --disable.')
    const body = {
      name: flags.get('name'),
      kind: flags.get('kind'),
      base_url: flags.get('base-url'),
      ...connectionFields(flags),
      ...(flags.has('one-server') ? { servers: null } : serversField(flags, servers)),
      ...(variable !== undefined && { credential: valueOfVariable(variable) }),
      ...(flags.has('no-credential') && { credential: null }),
      ...((flags.has('enable') || flags.has('disable')) && { enabled: flags.has('enable') }),
    }
    const provider = (await client.call('PATCH', `/providers/${id}`, body)) as ProviderOnWire
    output.result(provider, [`Changed ${provider.name}.`])
    return 0
  },
})

export const providerCommands: readonly Command[] = [list, add, set, test, remove]

interface WantedProvider {
  readonly name: string
  readonly kind: string
  readonly base_url: string
}

/** The provider at an address where it lists its models: the given one, or the same with /v1. Throws CommandFailure. */
async function answeringProvider(client: AdminClient, wanted: WantedProvider): Promise<WantedProvider> {
  const ask = async (provider: WantedProvider) => (await client.call('POST', '/providers/test', provider)) as TestAnswer
  const asked = await ask(wanted)
  if (asked.ok) return wanted
  if (wanted.kind === 'openai' && !/\/v\d+$/.test(wanted.base_url)) {
    const versioned = { ...wanted, base_url: `${wanted.base_url.replace(/\/+$/, '')}/v1` }
    if ((await ask(versioned)).ok) return versioned
  }
  throw new CommandFailure(`${wanted.name} at ${wanted.base_url} does not list its models. ${asked.error ?? ''}`)
}

function wantedProvider(given: string, flags: GivenFlags): WantedProvider {
  const preset = providerPresets.find((candidate) => candidate.name === given)
  const kind = flags.get('kind') ?? preset?.kind ?? 'openai'
  const baseUrl = flags.get('base-url') ?? (preset === undefined ? undefined : presetBaseUrl(preset))
  if (baseUrl === undefined && kind === 'openai') {
    const known = providerPresets.map((candidate) => candidate.name).join(', ')
    throw new UsageProblem(`"${given}" is not one of the known providers (${known}): add --base-url URL.`)
  }
  const credential = credentialOf(preset, flags.get('credential-env'))
  const fields = connectionFields(flags)
  const headers = { ...(preset?.place === 'vendor' && preset.headers), ...(fields['headers'] as object | undefined) }
  return {
    name: flags.get('name') ?? given,
    kind,
    base_url: baseUrl ?? '',
    ...(credential !== null && { credential }),
    ...fields,
    ...serversField(flags, null),
    ...(Object.keys(headers).length > 0 && { headers }),
  }
}

function credentialOf(preset: ProviderPreset | undefined, variable: string | undefined): string | null {
  if (variable !== undefined) return valueOfVariable(variable)
  const names = preset?.place === 'vendor' ? preset.credentialVariables : []
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
