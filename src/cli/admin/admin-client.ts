/**
 * How commands read and change data: through the admin API, and through nothing else, so that every
 * rule of the API holds for the command line too. There are three ways to it, tried in this order:
 *
 * 1. a server somewhere, by `--url` and an API key;
 * 2. the server that runs on this data directory, by its control socket;
 * 3. no server: the app, opened in this process without listening.
 */
import { clientVariables, processEnvironment, variable } from '#config/sources/environment.ts'
import { readHttpUrl } from '#config/settings/formats.ts'
import { StartProblem } from '#setup/start-problem.ts'
import { CommandFailure, UsageProblem, type Flag, type GivenFlags } from '../command.ts'
import { readConfiguration, type Configuration } from '../configuration.ts'
import { askControlSocket, controlSocketOf } from '../control-socket.ts'

/** Flags of every command that speaks the admin API. */
export const serverFlags = {
  url: {
    type: 'string',
    placeholder: 'URL',
    sentence: `Address of a server elsewhere; ${clientVariables.url} when left out. Without either, the one on this machine.`,
  },
  key: {
    type: 'string',
    placeholder: 'KEY',
    sentence: `API key for it, of an administrator; better set as ${clientVariables.key}, which other users cannot see.`,
  },
} as const satisfies Readonly<Record<string, Flag>>

export interface AdminClient extends AsyncDisposable {
  /**
   * One call of the admin API; `path` begins with a slash. The JSON of the answer, null for 204. Throws CommandFailure, with the
   * code `record_changed` when the record is no longer of the version `ifMatch`.
   */
  call(method: string, path: string, body?: unknown, ifMatch?: string): Promise<unknown>
  /** One request to any address of the server, and its answer as it arrives. Throws Refusal, and anything else when no answer came. */
  request(method: string, path: string, body?: Bun.BodyInit, signal?: AbortSignal): Promise<Response>
}

/** The server answered, and not with what was asked for. */
export class Refusal extends CommandFailure {
  readonly status: number
  /** The error's code; null when Sluice did not write the answer. */
  readonly code: string | null
  /** What the server asked for. */
  readonly retryAfterMs: number | null

  constructor({ status, headers }: Response, text: string) {
    const { message, code } = errorIn(status, text)
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.code = code
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : null
  }
}

interface SentRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: Bun.BodyInit
  readonly signal?: AbortSignal
}

type Send = (path: string, request: SentRequest) => Promise<Response>

const adminPrefix = '/admin/api/v1'

/** The first of the three ways that there is. Throws UsageProblem and StartProblem; dispose of it after use. */
export async function openAdminClient(flags: GivenFlags): Promise<AdminClient> {
  const environment = processEnvironment()
  const url = flags.get('url') ?? variable(environment, clientVariables.url)
  if (url !== null) return remoteClient(url, flags.get('key') ?? variable(environment, clientVariables.key))
  const configuration = readConfiguration(flags)
  return (await socketClient(configuration)) ?? (await ownClient(configuration))
}

function remoteClient(url: string, key: string | null): AdminClient {
  const base = readHttpUrl(url)
  if (base === null) throw new UsageProblem('--url takes an http:// or https:// address.')
  if (key === null) throw new UsageProblem(`A server elsewhere asks for an API key: set ${clientVariables.key}.`)
  return client(async (path, init) => {
    try {
      return await fetch(base + path, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${key}` },
        redirect: 'manual',
      })
    } catch (thrown) {
      throw new StartProblem(`The server at ${base} cannot be reached.`, thrown)
    }
  })
}

async function socketClient({ settings }: Configuration): Promise<AdminClient | null> {
  const socket = controlSocketOf(settings)
  const answer = await askControlSocket(socket)
  if (answer === 'none') return null
  if (answer === 'silent') {
    throw new StartProblem(`The server behind ${socket} does not answer. Stop it, or wait until it does.`)
  }
  return client((path, init) => fetch(`http://localhost${path}`, { ...init, unix: socket }))
}

/** The app takes long to load, and only this way needs it. */
async function ownClient(configuration: Configuration): Promise<AdminClient> {
  const { openOwnApp } = await import('./own-app.ts')
  const app = await openOwnApp(configuration)
  return client(
    (path, init) => app.handleTrusted(new Request(`http://localhost${path}`, init)),
    () => app.close(),
  )
}

function client(send: Send, close: () => Promise<void> = async () => {}): AdminClient {
  return {
    async call(method, path, body, ifMatch) {
      const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch }
      const init: SentRequest =
        body === undefined
          ? { method, headers }
          : { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const response = await send(path.startsWith('/openapi') ? path : adminPrefix + path, init)
      if (response.status === 204) return null
      const text = await response.text()
      if (!response.ok) throw new Refusal(response, text)
      return JSON.parse(text) as unknown
    },
    async request(method, path, body, signal) {
      const extras = { ...(body !== undefined && { body }), ...(signal !== undefined && { signal }) }
      const response = await send(path, { method, headers: {}, ...extras })
      if (!response.ok) throw new Refusal(response, await response.text())
      return response
    },
    [Symbol.asyncDispose]: close,
  }
}

function errorIn(status: number, text: string): { readonly message: string; readonly code: string | null } {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown; code?: unknown } }
    if (typeof error?.message === 'string')
      return { message: error.message, code: typeof error.code === 'string' ? error.code : null }
  } catch {
    // What is not of our shape did not come from Sluice.
  }
  return { message: `The server answered ${status}, and not as Sluice does. Check the address.`, code: null }
}
