/**
 * TypeScript types of the API for the web console, made from the OpenAPI document that a server
 * serves: one interface for each named schema, and one entry for each operation that speaks JSON.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LiveSettings } from '#config/settings/live-settings.ts'
import { loadConfig } from '#config/load.ts'
import type { OpenApiDocument, Operation, Parameter, Schema } from '#http/openapi.ts'
import { systemClock } from '#lib/clock.ts'
import { sealer } from '#lib/seal.ts'
import { createLogger } from '#observe/log.ts'
import { openApp } from '#src/app.ts'
import { openStore } from '#store/store.ts'

const componentsPath = '#/components/schemas/'

/** The whole text of the file. */
export function apiTypes(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema, '')}\n`,
  )
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationText(`${method.toUpperCase()} ${path}`, operation)),
  )
  return `${schemas.join('\n')}\nexport interface Operations {\n${operations.join('')}}\n`
}

/** The document of a server without any data, as it would serve it. */
export async function servedDocument(): Promise<OpenApiDocument> {
  await using opening = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'sluice-api-types-'))
  opening.defer(() => rm(directory, { recursive: true }))
  const config = loadConfig({ environment: {}, directory, overrides: ['server.drain_seconds=0'] })
  if (config.kind !== 'ok') throw new Error(JSON.stringify(config.problems))
  const store = await openStore({ url: `sqlite:${join(directory, 'sluice.db')}`, sealer: sealer(new Uint8Array(32)) })
  const clock = systemClock
  const logger = createLogger({ level: 'error', format: 'json', clock, write: (line) => console.error(line) })
  const settings = new LiveSettings(config.settings, config.sources)
  const app = await openApp({ settings, store, clock, logger, version: '0.0.0' })
  opening.defer(() => app.close())
  const answer = await app.handleTrusted(new Request('http://localhost/openapi.json'))
  return (await answer.json()) as OpenApiDocument
}

function operationText(name: string, { summary, parameters = [], requestBody, responses }: Operation): string {
  const content = requestBody?.content
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const answer = success?.content?.['application/json']?.schema
  const form = content !== undefined && !('application/json' in content)
  const body = content === undefined || form ? null : content['application/json'].schema
  return [
    comment(summary, '  '),
    `  ${JSON.stringify(name)}: {\n`,
    `    params: ${parametersType(parameters, 'path')}\n`,
    `    query: ${parametersType(parameters, 'query')}\n`,
    `    of: ${parameters.some(({ name: header }) => header === 'If-Match') ? '{ readonly etag: string } | null' : 'undefined'}\n`,
    `    body: ${form ? 'FormData' : body === null ? 'undefined' : typeOf(body, '    ')}\n`,
    `    answer: ${answer === undefined ? 'undefined' : typeOf(answer, '    ')}\n`,
    '  }\n',
  ].join('')
}

function parametersType(parameters: readonly Parameter[], place: Parameter['in']): string {
  const own = parameters.filter((parameter) => parameter.in === place)
  if (own.length === 0) return 'undefined'
  const fields = own.map(({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${typeOf(schema, '')}`)
  return `{ ${fields.join('; ')} }`
}

/** @param indent of the line on which the type begins */
function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(componentsPath.length)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const alternatives = schema.anyOf ?? (schema as { readonly oneOf?: readonly Schema[] }).oneOf
  if (alternatives !== undefined) return union(alternatives.map((each) => typeOf(each, indent)))
  const all = (schema as { readonly allOf?: readonly Schema[] }).allOf
  if (all !== undefined) return all.map((each) => `(${typeOf(each, indent)})`).join(' & ')
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  return types.length === 0 ? 'unknown' : union(types.map((type) => plainType(type, schema, indent)))
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ')
}

function plainType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return arrayType(schema, indent)
    default:
      return objectType(schema, indent)
  }
}

function arrayType({ items }: Schema, indent: string): string {
  const item = items === undefined ? 'unknown' : typeOf(items, indent)
  return /^[\w.]+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`
}

function objectType({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  const rest =
    typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
      ? typeOf(additionalProperties, indent)
      : 'unknown'
  if (properties === undefined) return `{ readonly [name: string]: ${rest} }`
  const fields = Object.entries(properties).map(([name, each]) => {
    const inner = `${indent}  `
    const optional = required.includes(name) ? '' : '?'
    const orUndefined = optional === '' ? '' : ' | undefined'
    return `${comment(each.description, inner)}${inner}readonly ${key(name)}${optional}: ${typeOf(each, inner)}${orUndefined}\n`
  })
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}${indent}}`
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`
}
