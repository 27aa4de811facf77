/** The page that shows which kind of provider has which endpoint, made of the providers and the endpoints themselves. */
import type { ProviderRecord } from '#catalog/records.ts'
import { modelCalls } from '#gateway/endpoints/model-call-rows.ts'
import { systemClock } from '#lib/clock.ts'
import { Http1Client } from '#lib/http1/client.ts'
import { Ticker } from '#lib/ticker.ts'
import type { Endpoint, Provider } from '#providers/provider.ts'
import { providerKinds } from '#providers/registry.ts'

interface Column {
  readonly title: string
  readonly provider: Provider
}

/** The whole text of the page. */
export function endpointSupportMarkdown(): string {
  using ticker = new Ticker()
  using http1 = new Http1Client({ clock: systemClock, ticker })
  const columns = columnsOf(http1)
  const calls = new Map(modelCalls.map(({ call }) => [call.endpoint, call.translate !== undefined]))
  const rows = [...calls].map(([endpoint, isTranslated]) => {
    return rowOf(`\`/${endpoint}\``, columns, (provider) => cell(provider, endpoint, isTranslated))
  })
  const state = rowOf('`/responses/{id}` and below, `/conversations`', columns, (provider) =>
    provider.endpoints.has('responses') ? 'yes' : provider.endpoints.has('chat/completions') ? 'kept' : '–',
  )
  const generation = rowOf('`/generate`, `/image_generate` and their streams', columns, (provider) =>
    cell(provider, 'generate_stream', true),
  )
  const realtime = rowOf('`GET /realtime`', columns, (provider) => cell(provider, 'realtime', false))
  const titles = columns.map(({ title }) => title)
  return `# Which provider has which endpoint

**yes**: requests and answers pass unchanged, or through the adapter of the vendor's protocol. **translated**: the request
goes out as a chat completion, and the answer comes back in the format of the endpoint: [responses.md](responses.md#what-is-translated),
[messages.md](messages.md), [generation.md](generation.md). **kept**: the gateway keeps the responses itself. **–**: the
answer is 404 \`endpoint_not_supported\`.

| endpoint | ${titles.join(' | ')} |
|---|${titles.map(() => '---|').join('')}
${[...rows, state, generation, realtime].join('\n')}

The gateway cannot see what a server of the kind \`openai\` has: the table shows what it assumes. A server that lacks one
of these answers so itself; list its endpoints in \`options.endpoints\` of the provider, and the gateway answers, or
translates, without asking it. A server that has more, such as vLLM with \`/responses\`, is declared in the same
way; the gateway keeps the responses of a server that does not ([responses.md](responses.md#stored-responses)):
[endpoints.md](endpoints.md). \`/messages/count_tokens\` and the list of models are the gateway's own, for every provider.`
}

function rowOf(name: string, columns: readonly Column[], show: (provider: Provider) => string): string {
  return `| ${[name, ...columns.map(({ provider }) => show(provider))].join(' | ')} |`
}

function cell({ endpoints }: Provider, endpoint: Endpoint, isTranslated: boolean): string {
  if (endpoints.has(endpoint)) return 'yes'
  return isTranslated && endpoints.has('chat/completions') ? 'translated' : '–'
}

/** Kinds with the same endpoints share a column; servers of the kind `openai` differ by their address. */
function columnsOf(http1: Http1Client): readonly Column[] {
  const groups = new Map<string, { readonly names: string[]; readonly provider: Provider }>()
  const add = (name: string, kind: string, baseUrl: string): void => {
    const provider = providerKinds[kind]?.make(recordOf(kind, baseUrl), http1)
    if (provider === undefined) throw new Error(`no kind of provider is called ${kind}`)
    const key = [...provider.endpoints].toSorted().join()
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { names: [name], provider })
    else group.names.push(name)
  }
  add('`openai`, at OpenAI or Azure', 'openai', 'https://api.openai.com/v1')
  add('`openai`, any other server', 'openai', 'http://127.0.0.1:8000/v1')
  for (const kind of Object.keys(providerKinds)) {
    if (kind !== 'openai') add(`\`${kind}\``, kind, 'http://127.0.0.1:8000')
  }
  return [...groups.values()].map(({ names, provider }) => ({ title: names.join(', '), provider }))
}

function recordOf(kind: string, baseUrl: string): ProviderRecord {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    name: kind,
    kind,
    baseUrl,
    credential: null,
    headers: {},
    timeouts: {},
    options: {},
    reasoning: null,
    maxConcurrent: null,
    servers: null,
    enabled: true,
    declared: false,
    createdAt: 0,
  }
}
