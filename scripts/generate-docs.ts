/**
 * Writes the reference pages that are made from code, so that they cannot drift from it. `--check`
 * writes nothing and fails when a page differs from what would be written, or when a link in any
 * page leads nowhere. A new page is one more row of `pages`.
 */
import { join } from 'node:path'
import { configurationMarkdown } from '#config/document.ts'
import { errorCatalogue, type ErrorRow } from '#errors/catalogue.ts'
import { createMetrics } from '#observe/metrics.ts'
import { apiTypes, servedDocument } from './api-types.ts'
import { brokenLinks } from './broken-links.ts'
import { embeddingModelsMarkdown } from './embedding-models.ts'
import { endpointSupportMarkdown } from './endpoint-support.ts'
import { formatsMarkdown } from './formats.ts'

interface Page {
  /** Relative to the project. */
  readonly file: string
  /** The module that it is made from, relative to the project. */
  readonly source: string
  /** The whole text of the page. */
  readonly render: () => string | Promise<string>
}

const pages: readonly Page[] = [
  { file: 'docs/errors.md', source: 'src/errors/catalogue.ts', render: errorsMarkdown },
  { file: 'docs/endpoint-support.md', source: 'the kinds of providers', render: endpointSupportMarkdown },
  {
    file: 'docs/embedding-models.md',
    source: 'src/documents/embedders/known-embedding-models.ts',
    render: embeddingModelsMarkdown,
  },
  { file: 'docs/formats.md', source: 'src/readers/formats.ts and scripts/formats.ts', render: formatsMarkdown },
  { file: 'docs/metrics.md', source: 'src/observe/metrics.ts', render: metricsMarkdown },
  { file: 'docs/configuration.md', source: 'src/config/document.ts', render: configurationMarkdown },
  {
    file: 'ui/src/api/schema.d.ts',
    source: 'the OpenAPI document',
    render: async () => apiTypes(await servedDocument()),
  },
]
const root = join(import.meta.dir, '..')
const checkOnly = process.argv.includes('--check')

for (const page of pages) {
  const file = Bun.file(join(root, page.file))
  const remark = `Generated from ${page.source} by "npm run docs". Do not edit.`
  const header = page.file.endsWith('.ts') ? `// ${remark}` : `<!-- ${remark} -->`
  const wanted = `${header}\n\n${(await page.render()).trim()}\n`
  const current = (await file.exists()) ? await file.text() : null
  if (current === wanted) continue
  if (checkOnly) {
    console.error(`${page.file} is ${current === null ? 'missing' : 'out of date'}: run "npm run docs".`)
    process.exitCode = 1
  } else {
    await Bun.write(file, wanted)
    console.log(`wrote ${page.file}`)
  }
}

if (checkOnly) {
  const patterns = ['*.md', 'bench/**/*.md', 'docs/**/*.md', 'src/**/*.md', 'ui/*.md']
  const markdown = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  for (const problem of await brokenLinks(root, markdown)) {
    console.error(problem)
    process.exitCode = 1
  }
}

function errorsMarkdown(): string {
  const rows = Object.entries<ErrorRow>(errorCatalogue).map(([code, row]) => errorLine(code, row))
  return `# Errors

Every refusal has the same JSON body: \`{"error":{"message","type","param","code"}}\`. Decide by \`code\`: codes are
stable; messages are for people and may become more exact. \`param\` names the field at fault, or is null. In a stream
that has already begun with 200, the last event holds the same object.

**Who acts** names who must act: the client that sent the request, the administrator of this gateway, or the model
provider. **Retry** says whether the same request can succeed later. Where it cannot, the answer carries
\`x-should-retry: false\`, which the official SDKs obey. A number is the \`Retry-After\` header, in seconds.

| code | status | type | who acts | retry | message |
|---|---|---|---|---|---|
${rows.join('\n')}`
}

function errorLine(code: string, row: ErrorRow): string {
  const retry = !row.retryable ? 'no' : row.retryAfterSeconds === undefined ? 'yes' : `yes, ${row.retryAfterSeconds}`
  const cells = [`\`${code}\``, row.status, `\`${row.type}\``, row.origin, retry, row.message.replaceAll('|', '\\|')]
  return `| ${cells.join(' | ')} |`
}

function metricsMarkdown(): string {
  const metrics = createMetrics({ version: '', codes: [], genAi: true })
  metrics.watch({
    inflight: () => [],
    queued: () => [],
    bodies: () => ({ used: 0, waiting: 0 }),
    usageQueueDepth: () => 0,
    documents: () => Promise.resolve([]),
    webhooksWaiting: () => Promise.resolve(null),
    outageSeconds: () => 0,
    changesInDoubt: () => 0,
  })
  const rows = metrics.definitions.map(
    ({ name, type, labels = [], help }) => `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} |`,
  )
  return `# Metrics

\`GET /metrics\` shows them in the text format of Prometheus. With \`metrics.require_key: true\` it needs an administrator's key.

The numbers are those of one process; add them up over several. Gauges of documents and webhooks are the same for all
processes, and one of them exports them. With \`server.workers\` every sample has the label \`worker\`, and
\`sluice_worker_up\` says whether a worker gave its metrics. Names of models and providers are those of the catalogue, at most 1,000 and 200;
later ones count as \`other\`.

Those that begin with \`gen_ai_\` are there with \`metrics.gen_ai: true\`: they have the names, labels and bounds of OpenTelemetry's
[conventions for generative AI](https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-metrics/).

| metric | type | labels | what |
|---|---|---|---|
${rows.join('\n')}`
}
