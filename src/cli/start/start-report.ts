/** What a start prints: where the server (and with it the console) is, and at the first start everything for a first request. */
import type { Settings } from '#config/settings/records.ts'
import { inBinary } from '#lib/own-scripts.ts'
import type { FoundProvider } from '#providers/discover-local.ts'
import type { FirstStart } from '#setup/first-start.ts'
import { entryLines, type Output } from '../output.ts'

export interface StartReport {
  readonly version: string
  /** Without a trailing slash. */
  readonly address: string
  /** The console is built. */
  readonly hasConsole: boolean
  readonly firstStart: FirstStart | null
  /** Providers that have lost what only the lost secret key opened. */
  readonly forgotten: readonly string[]
  readonly models: readonly string[]
  readonly found: readonly FoundProvider[]
  /** Flags that lead another command to this server, each after a blank. */
  readonly sameServer: string
}

/** The public address, or the one that works on this machine. */
export function shownAddress(settings: Settings, port: number): string {
  const { 'server.host': host, 'server.public_url': publicUrl } = settings
  if (publicUrl !== null) return publicUrl
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** The report as JSON and as lines for people. */
export function startReport(report: StartReport, output: Output): [unknown, readonly string[]] {
  return [reportOnWire(report), reportLines(report, output)]
}

function reportOnWire({ version, address, firstStart, forgotten, models, found }: StartReport): unknown {
  return {
    version,
    address,
    first_start: firstStart && { email: firstStart.email, password: firstStart.password, api_key: firstStart.apiKey },
    forgotten_credentials: forgotten,
    models,
    found,
  }
}

function reportLines(report: StartReport, output: Output): readonly string[] {
  const { version, address, hasConsole, firstStart, forgotten, models, found } = report
  return [
    `Sluice ${version} is ready at ${output.bold(address)}`,
    '',
    ...entryLines([
      ['Console', hasConsole ? `${address}/` : 'not built: run "npm run build:ui" and start again'],
      ['API reference', `${address}/docs`],
      ['Models', models.join(', ') || 'none yet: add a provider'],
    ]),
    ...(firstStart === null ? [] : firstStartLines(firstStart, report, output)),
    ...(forgotten.length === 0 ? [] : forgottenLines(forgotten, report)),
    ...(found.length === 0 ? [] : foundLines(found, report)),
  ]
}

function firstStartLines(firstStart: FirstStart, report: StartReport, output: Output): readonly string[] {
  const { address, models, sameServer } = report
  const secrets = entryLines([
    ['Administrator', firstStart.email],
    ['One-time password', output.bold(firstStart.password)],
    ['API key', output.bold(firstStart.apiKey)],
  ])
  const lines = [
    '',
    'This is the first start. What follows is shown this once; keep it:',
    '',
    ...secrets,
    '',
    'The key calls models and imports documents. It does not administer; this makes one that does:',
    '',
    `  ${programName} keys create NAME --user ${firstStart.email} --admin${sameServer}`,
  ]
  if (!models.includes(practiceModel)) return lines
  return [
    ...lines,
    '',
    'Try it (the practice model has no AI behind it):',
    '',
    `  ${curlLine(address, firstStart.apiKey)}`,
  ]
}

/** What a person types to run a command of this Sluice. */
const programName = inBinary ? 'sluice' : 'npx sluice'

const practiceModel = 'demo-chat'

/** A streamed chat as one line of shell; nothing in it needs more quoting than this. */
function curlLine(address: string, apiKey: string): string {
  const body = JSON.stringify({ model: practiceModel, stream: true, messages: [{ role: 'user', content: 'Hello!' }] })
  return `curl -N ${address}/ai/v1/chat/completions -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'`
}

function forgottenLines(forgotten: readonly string[], { sameServer }: StartReport): readonly string[] {
  return [
    '',
    'The credential, headers and options of these providers were cleared. Give them again:',
    '',
    ...forgotten.map((name) => `  ${programName} providers set ${name} --credential-env VARIABLE${sameServer}`),
  ]
}

function foundLines(found: readonly FoundProvider[], { sameServer }: StartReport): readonly string[] {
  return [
    '',
    'Found, and not in use until you add it:',
    '',
    ...entryLines(
      found.map(({ name, title, where, models }) => [
        foundText(title, where, models),
        `${programName} providers add ${name}${sameServer}`,
      ]),
    ),
  ]
}

function foundText(title: string, where: string, models: readonly string[] | null): string {
  return models === null
    ? `${title} (${where} is set)`
    : `${title} at ${where}, ${models.length === 1 ? '1 model' : `${models.length} models`}`
}
