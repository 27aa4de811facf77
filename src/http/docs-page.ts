/**
 * The API as one page to read: made from the OpenAPI document, without scripts and without any
 * request of its own.
 */
import { setImmediate } from 'node:timers/promises'
import { docsPageStyle } from './docs-page-style.ts'
import { bodySchema, type OpenApiDocument, type Operation, type Parameter, type Schema } from './openapi.ts'

/** The page as an answer. @param html of `docsPageHtml` */
export function docsPage(html: string): Response {
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    },
  })
}

interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The page as HTML. Every text of the document is escaped. Requests are served between its chapters. */
export async function docsPageHtml(document: OpenApiDocument): Promise<string> {
  const { title, version } = document.info
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Entry => ({ method: method.toUpperCase(), path, operation })),
  )
  const chapters: { readonly links: string; readonly html: string }[] = []
  for (const { name } of document.tags) {
    const own = entries.filter(({ operation }) => operation.tags.includes(name))
    chapters.push({ links: chapterLinks(name, own), html: chapterHtml(document, name, own) })
    await setImmediate()
  }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} API</title>
<style>${docsPageStyle}</style>
</head>
<body>
<nav aria-label="Endpoints">
<a class="title" href="#top">${escaped(title)} API</a>
${chapters.map(({ links }) => links).join('\n')}
</nav>
<main id="top">
<h1>${escaped(title)} API</h1>
<p>Version ${escaped(version)}. The same as an OpenAPI document: <a href="/openapi.json">/openapi.json</a>.</p>
<p>Send an API key as <code>Authorization: Bearer &lt;key&gt;</code>. Every error has the same shape: see <a href="#schema-Error">Error</a>.</p>
${chapters.map(({ html }) => html).join('\n')}
${schemasHtml(document)}
</main>
</body>
</html>
`
}

function chapterLinks(name: string, entries: readonly Entry[]): string {
  const links = entries.map(
    ({ method, path, operation }) =>
      `<li><a href="#${operation.operationId}"><span class="method ${method}">${method}</span> ${breakable(path)}</a></li>`,
  )
  return `<h2>${escaped(name)}</h2><ul>${links.join('')}</ul>`
}

function chapterHtml(document: OpenApiDocument, name: string, entries: readonly Entry[]): string {
  return `<h2>${escaped(name)}</h2>\n${entries.map((entry) => entryHtml(document, entry)).join('\n')}`
}

function entryHtml(document: OpenApiDocument, { method, path, operation }: Entry): string {
  const { parameters = [], responses } = operation
  const body = bodySchema(operation)
  return `<section id="${operation.operationId}">
<h3><span class="method ${method}">${method}</span> <code>${breakable(path)}</code></h3>
<p>${escaped(operation.summary)}.${operation.description === undefined ? '' : ` ${withCode(operation.description)}`}</p>
<p class="access">${accessText(operation)}</p>
${parameters.length === 0 ? '' : `<h4>Parameters</h4>${parametersHtml(parameters)}`}
${body === undefined ? '' : `<h4>Body</h4>${schemaHtml(document, body)}`}
<h4>Answers</h4>
<table><tbody>${Object.entries(responses)
    .map(([status, response]) => responseHtml(status, response))
    .join('')}</tbody></table>
<h4>Example</h4>
<pre><code>${escaped(curl(document, { method, path, operation }))}</code></pre>
</section>`
}

function accessText({ security }: Operation): string {
  if (security.length === 0) return 'Open to everyone.'
  return security.length > 1 ? 'Needs an API key or a session.' : 'Needs an API key.'
}

function parametersHtml(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required, schema, description }) =>
    fieldRow({
      name,
      required,
      schema,
      description: [place === 'path' ? 'In the path.' : '', description ?? ''].join(' '),
    }),
  )
  return fieldTable(rows)
}

/** The fields of an object, or one line for anything else. */
function schemaHtml(document: OpenApiDocument, schema: Schema): string {
  const target = resolved(document, schema)
  if (target.properties === undefined) return `<p>${typeHtml(schema)}</p>`
  const required = new Set(target.required)
  const rows = Object.entries(target.properties).map(([name, field]) =>
    fieldRow({ name, required: required.has(name), schema: field, description: field.description ?? '' }),
  )
  const about = target.description === undefined ? '' : `<p>${escaped(target.description)}</p>`
  return about + fieldTable(rows)
}

interface Field {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
  readonly description: string
}

function fieldTable(rows: readonly string[]): string {
  return `<table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function fieldRow({ name, required, schema, description }: Field): string {
  const fallback =
    schema.default === undefined ? '' : ` Default: <code>${escaped(JSON.stringify(schema.default))}</code>.`
  return `<tr><td><code>${breakable(name)}</code>${required ? ' <em>required</em>' : ''}</td><td>${typeHtml(schema)}</td><td>${withCode(description.trim())}${fallback}</td></tr>`
}

function responseHtml(status: string, response: Operation['responses'][string]): string {
  const schema = response.content?.['application/json']?.schema
  const isError = !status.startsWith('2')
  const lines = response.description
    .split('\n\n')
    .map((line) => withCode(line))
    .join('<br>')
  const shape = schema === undefined || isError ? '' : ` ${typeHtml(schema)}`
  return `<tr><td class="status">${escaped(status)}</td><td>${lines}${shape}</td></tr>`
}

/** The type of a value in words; named schemas are links. */
function typeHtml(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = refName(schema.$ref)
    return `<a href="#schema-${escaped(name)}">${escaped(name)}</a>`
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeHtml).join(' or ')
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escaped(JSON.stringify(value))}</code>`).join(' or ')
  if (schema.const !== undefined) return `<code>${escaped(JSON.stringify(schema.const))}</code>`
  if (schema.type === 'array') return `list of ${itemHtml(schema.items)}`
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(
      ([name, field]) => `<code>${escaped(name)}</code>: ${typeHtml(field)}`,
    )
    return `object { ${fields.join(', ')} }`
  }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['anything'])
  return escaped(types.join(' or ') + (schema.format === undefined ? '' : ` (${schema.format})`))
}

/** Alternatives in brackets, so that `list of (a or b) or null` can be read one way only. */
function itemHtml(schema: Schema = {}): string {
  const html = typeHtml(schema)
  return html.includes(' or ') ? `(${html})` : html
}

function schemasHtml(document: OpenApiDocument): string {
  const sections = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<section id="schema-${escaped(name)}"><h3>${escaped(name)}</h3>${schemaHtml(document, schema)}</section>`,
  )
  return `<h2>Shapes</h2>\n${sections.join('\n')}`
}

function curl(document: OpenApiDocument, { method, path, operation }: Entry): string {
  const [server] = document.servers
  const base = server === undefined || server.url === '/' ? 'http://127.0.0.1:3001' : server.url
  const parts = [`curl ${method === 'GET' ? '' : `-X ${method} `}'${base}${path}'`]
  if (operation.security.length > 0) parts.push(`-H "Authorization: Bearer $SLUICE_API_KEY"`)
  const schema = bodySchema(operation)
  if (operation.requestBody !== undefined && 'multipart/form-data' in operation.requestBody.content) {
    const example = Object.entries(exampleOf(document, schema ?? {}) as Readonly<Record<string, unknown>>)
    for (const [name, value] of example) parts.push(`-F '${name}=${String(value)}'`)
  } else if (schema !== undefined) {
    parts.push(
      `-H 'Content-Type: application/json'`,
      `-d '${JSON.stringify(exampleOf(document, schema)).replaceAll("'", `'\\''`)}'`,
    )
  }
  return parts.join(' \\\n  ')
}

const depthMax = 4

/** A value of the schema's form with the required fields only. */
function exampleOf(document: OpenApiDocument, schema: Schema, depth = 0): unknown {
  const target = resolved(document, schema)
  if (target.default !== undefined) return target.default
  if (target.const !== undefined) return target.const
  if (target.enum !== undefined) return target.enum[0]
  const [first] = target.anyOf ?? []
  if (first !== undefined) return exampleOf(document, first, depth)
  switch (typeof target.type === 'object' ? target.type[0] : target.type) {
    case 'object':
      return exampleObject(document, target, depth)
    case 'array':
      return target.items === undefined || depth >= depthMax ? [] : [exampleOf(document, target.items, depth + 1)]
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    default:
      return '…'
  }
}

function exampleObject(document: OpenApiDocument, { properties = {}, required }: Schema, depth: number): unknown {
  // Where nothing is required, one field shows the form.
  const names = required ?? Object.keys(properties).slice(0, 1)
  const fields = names.flatMap((name) => {
    const field = properties[name]
    return field === undefined || depth >= depthMax ? [] : [[name, exampleOf(document, field, depth + 1)] as const]
  })
  return Object.fromEntries(fields)
}

function resolved(document: OpenApiDocument, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (document.components.schemas[refName(schema.$ref)] ?? schema)
}

function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

function escaped(value: string): string {
  return Bun.escapeHTML(value)
}

/** A path or dotted name that a narrow screen may break after each part. */
function breakable(value: string): string {
  return escaped(value).replaceAll(/[/_]/g, '$&<wbr>')
}

/** Words between backticks as code. */
function withCode(line: string): string {
  return escaped(line).replaceAll(/`([^`]*)`/g, '<code>$1</code>')
}
