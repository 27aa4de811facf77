/**
 * What every endpoint of the AI API promises alike, as suites that the files of each endpoint call:
 * an endpoint is one row of a table, but its promises are checked through its own address.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ErrorCode } from '#errors/catalogue.ts'
import { endpointForms, endpointRequests, formOf, type FormEndpoint, type JsonEndpoint } from './endpoint-samples.ts'
import { startGateway, type ChatOptions, type GatewayApp, type GatewayOptions } from '../app/gateway-app.ts'
import { expectRefusal } from './refusal.ts'

export type AnyEndpoint = JsonEndpoint | FormEndpoint

/** Opens a gateway for the tests of a file, and closes it after them. */
export function gatewayOfFile(options?: GatewayOptions): () => GatewayApp {
  let gateway: GatewayApp
  beforeAll(async () => void (gateway = await startGateway(options)))
  afterAll(() => gateway[Symbol.asyncDispose]())
  return () => gateway
}

/** A small valid request, with fields over its own; of a form only the model can be chosen. */
export function callEndpoint(
  gateway: GatewayApp,
  endpoint: AnyEndpoint,
  fields: Readonly<Record<string, unknown>> | FormData = {},
  options: ChatOptions = {},
): Promise<Response> {
  const path = `/ai/v1/${endpoint}`
  if (fields instanceof FormData) return gateway.request('POST', path, { ...options, body: fields })
  const whole = { model: 'plain', ...fields }
  if (isForm(endpoint))
    return gateway.request('POST', path, { ...options, body: formOf(endpointForms[endpoint](whole.model)) })
  const headers = { 'content-type': 'application/json', ...options.headers }
  const body = JSON.stringify({ ...endpointRequests[endpoint], ...whole })
  return gateway.request('POST', path, { ...options, headers, body })
}

function isForm(endpoint: AnyEndpoint): endpoint is FormEndpoint {
  return endpoint in endpointForms
}

/**
 * A provider at the same upstream that has only these endpoints, and a plain model of it; returns the model's name.
 * @param stores the provider stores responses
 */
export async function modelWithEndpoints(
  gateway: GatewayApp,
  endpoints: readonly string[],
  stores = true,
): Promise<string> {
  const name = `only-${crypto.randomUUID()}`
  const provider = {
    name,
    kind: 'openai',
    base_url: gateway.upstream.url,
    options: { endpoints, stores_responses: stores },
  }
  const made = (await (await gateway.operate('POST', '/providers', provider)).json()) as { readonly id: string }
  const answer = await gateway.operate('POST', '/models', {
    name,
    provider_id: made.id,
    upstream_name: 'upstream-model',
  })
  expect(answer.status).toBe(201)
  return name
}

/** A composite of these models in this order; returns its name. */
export async function compositeOf(
  gateway: GatewayApp,
  components: readonly (string | object)[],
  fields: object = {},
): Promise<string> {
  const name = `composite-${crypto.randomUUID()}`
  const written = components.map((each, priority) =>
    typeof each === 'string' ? { model: each, priority } : { priority, ...each },
  )
  const composite = { strategy: 'priority', components: written, ...fields }
  const answer = await gateway.operate('POST', '/models', { name, composite })
  expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
  return name
}

/** 404: no such model, and a model whose provider does not have the endpoint. */
export function notFoundContract(endpoint: AnyEndpoint): void {
  const gateway = gatewayOfFile()
  const promised = (code: ErrorCode) => ({ status: 404, type: 'not_found_error', code, param: 'model' }) as const

  test('a name that no model has is unknown, and nothing is asked of a provider', async () => {
    const refused = await callEndpoint(gateway(), endpoint, { model: 'unheard-of' })
    const { message } = await expectRefusal(refused, promised('model_not_found'))
    expect(message).toContain('"unheard-of"')
    expect(gateway().upstream.requests).toEqual([])
  })

  test('a model whose provider does not have this endpoint says which it has', async () => {
    const others = ['responses', endpoint === 'rerank' ? 'embeddings' : 'rerank']
    const model = await modelWithEndpoints(gateway(), others)
    const headers = { 'x-request-id': `no-${endpoint.replace('/', '-')}` }
    const refused = await callEndpoint(gateway(), endpoint, { model }, { headers })
    const { message } = await expectRefusal(refused, promised('endpoint_not_supported'))
    for (const each of [endpoint, ...others]) expect(message).toContain(each)
    expect(gateway().upstream.requests).toEqual([])
    const row = await gateway().usageOf(headers['x-request-id'])
    expect(row).toMatchObject({
      endpoint,
      status: 404,
      code: 'endpoint_not_supported',
      modelServed: model,
      attempts: 0,
    })
  })

  test('a composite is served by those of its components that have it, and refused when none has', async () => {
    const [without, having] = [await modelWithEndpoints(gateway(), []), await modelWithEndpoints(gateway(), [endpoint])]
    const refused = await callEndpoint(gateway(), endpoint, { model: await compositeOf(gateway(), [without]) })
    await expectRefusal(refused, promised('endpoint_not_supported'))
    const served = await callEndpoint(gateway(), endpoint, { model: await compositeOf(gateway(), [without, having]) })
    expect([served.status, served.headers.get('x-sluice-provider')]).toEqual([200, having])
    expect(served.headers.get('x-sluice-attempts')).toBe('1')
    await served.arrayBuffer()
  })
}

export interface BadBody {
  readonly what: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly code?: ErrorCode
  readonly param: string | null
}

/** 400: bodies that cannot be understood, those of this endpoint and those of all that take JSON. */
export function badJsonContract(endpoint: JsonEndpoint, bodies: readonly BadBody[]): void {
  const gateway = gatewayOfFile()
  const refusal = (code: ErrorCode, param: string | null) =>
    ({ status: 400, type: 'invalid_request_error', code, param }) as const

  describe('a body is refused before any provider is asked', () => {
    for (const { what, fields, code = 'invalid_body', param } of bodies) {
      test(what, async () => {
        await expectRefusal(await callEndpoint(gateway(), endpoint, fields), refusal(code, param))
        expect(gateway().upstream.requests).toEqual([])
      })
    }

    test('that is no JSON, or no object', async () => {
      const send = (body: string) => gateway().request('POST', `/ai/v1/${endpoint}`, { body })
      await expectRefusal(await send('{"model":'), refusal('invalid_json', null))
      await expectRefusal(await send(''), refusal('invalid_json', null))
      await expectRefusal(await send('[]'), refusal('invalid_body', null))
      expect(gateway().upstream.requests).toEqual([])
    })

    test('that names its model twice, because servers differ in which they take', async () => {
      const body = JSON.stringify({ ...endpointRequests[endpoint], model: 'plain' }).replace('{', '{"model":"private",')
      const refused = await gateway().request('POST', `/ai/v1/${endpoint}`, { body })
      await expectRefusal(refused, refusal('invalid_body', 'model'))
    })
  })
}

/** The refusal of a request that names no model, for all but one endpoint. */
export const namesNoModel: BadBody = {
  what: 'that names no model',
  fields: { model: undefined },
  code: 'missing_model',
  param: 'model',
}
