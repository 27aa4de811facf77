/**
 * Keeps a provider's own secrets out of what it answers. Some servers repeat the credential that they
 * refuse in their error, and a caller must never read it there.
 */
import type { ProviderRecord } from '#catalog/records.ts'
import { ByteRedaction, SecretSet } from '#lib/byte-redaction.ts'
import { readTo, type MakeReply, type Reply, type ReplyBody, type ReplyReader } from '#lib/http1/reply.ts'
import type { NativeBatches, NativeResult } from './native-batches.ts'
import { SocketRefused, type Provider, type SocketListener } from './provider.ts'

/** Names of headers, options and query parameters whose values are secrets. */
const credentialName = /key|token|secret|password|auth|cookie|credential|signature/i

/** The same provider, whose answers hold none of its secrets; every other byte is unchanged. */
export function withoutSecrets(provider: Provider): Provider {
  const secrets = new SecretSet(secretsOf(provider.record))
  if (secrets.isEmpty) return provider
  const connect: Provider['connect'] = async (call, listener) => {
    if (provider.connect === undefined) throw new Error('a provider without WebSockets was asked for one')
    return provider.connect(call, redactedEnd(listener, secrets)).catch(redactedRefusal(secrets))
  }
  const make: MakeReply = (head, body) => redacted(head, body, secrets)
  const { sendAs } = provider
  return {
    ...provider,
    send:
      sendAs === undefined
        ? (call) => provider.send(call).then((reply) => make(reply, reply.body))
        : (call) => sendAs(call, make),
    // It would give what the provider has sent.
    sendAs: undefined,
    ...(provider.connect !== undefined && { connect }),
    ...(provider.batches !== undefined && { batches: redactedBatches(provider.batches, secrets) }),
  }
}

function redactedBatches(batches: NativeBatches, secrets: SecretSet): NativeBatches {
  return {
    ...batches,
    async poll(id, signal) {
      const progress = await batches.poll(id, signal)
      return progress.kind === 'ended' ? { ...progress, results: redactedResults(progress.results, secrets) } : progress
    },
  }
}

async function* redactedResults(
  results: AsyncIterable<NativeResult>,
  secrets: SecretSet,
): AsyncGenerator<NativeResult, void> {
  for await (const result of results) yield { ...result, body: Buffer.from(secrets.redact(result.body.toString())) }
}

function redactedRefusal(secrets: SecretSet) {
  return (thrown: unknown): never => {
    if (!(thrown instanceof SocketRefused) || thrown.reply === null) throw thrown
    throw new SocketRefused(thrown.status, redacted(thrown.reply, thrown.reply.body, secrets))
  }
}

/** Events of a WebSocket are text, each whole in its message; sound in bytes passes as it is. */
function redactedEnd(listener: SocketListener, secrets: SecretSet): SocketListener {
  return {
    message: (data) => listener.message(typeof data === 'string' ? secrets.redact(data) : data),
    pong: () => listener.pong(),
    closed: (code, reason) => listener.closed(code, secrets.redact(reason)),
  }
}

/** The credential, and the headers and options whose names say that they hold one. */
function* secretsOf({ credential, headers, options, baseUrl }: ProviderRecord): Iterable<string> {
  if (credential !== null) yield credential.reveal()
  for (const [name, value] of [...Object.entries(headers), ...Object.entries(options)]) {
    if (typeof value !== 'string' || !credentialName.test(name)) continue
    yield value
    const [, token] = /^(?:Bearer|Basic|Token) +(\S+)$/i.exec(value) ?? []
    if (token !== undefined) yield token
  }
  const url = URL.parse(baseUrl)
  if (url === null) return
  yield percentDecoded(url.password)
  for (const [name, value] of url.searchParams) if (credentialName.test(name)) yield value
}

/** What a part of an address stands for; the part itself where its escapes are broken. */
function percentDecoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function redacted(head: Pick<Reply, 'status' | 'headers'>, body: ReplyBody, secrets: SecretSet): Reply {
  const { status } = head
  let { headers } = head
  for (const name in head.headers) {
    const sent = head.headers[name] ?? ''
    const shown = secrets.redact(sent)
    if (shown !== sent) headers = { ...headers, [name]: shown }
  }
  return { status, headers, body: new RedactedBody(body, secrets) }
}

class RedactedBody extends ByteRedaction implements ReplyBody, ReplyReader {
  readonly #body: ReplyBody
  #ended = false
  #reader: ReplyReader | null = null

  constructor(body: ReplyBody, secrets: SecretSet) {
    super(secrets)
    this.#body = body
  }

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    for (;;) {
      const bytes = this.#ended ? null : this.#body.read()
      if (bytes instanceof Promise) return this.#passLater(bytes)
      const passed = this.#pass(bytes)
      if (passed === null || passed.byteLength > 0) return passed
    }
  }

  readTo(reader: ReplyReader): Uint8Array | null | undefined {
    this.#reader = reader
    for (;;) {
      const bytes = this.#ended ? null : readTo(this.#body, this)
      if (bytes === undefined) return undefined
      const passed = this.#pass(bytes)
      if (passed === null || passed.byteLength > 0) return passed
    }
  }

  /** For the body. */
  received(bytes: Uint8Array | null): void {
    const reader = this.#reader
    if (reader === null) return
    const passed = this.#pass(bytes)
    const next = passed === null || passed.byteLength > 0 ? passed : this.readTo(reader)
    if (next !== undefined) reader.received(next)
  }

  /** For the body. */
  failed(reason: unknown): void {
    this.#reader?.failed(reason)
  }

  cancel(): void {
    this.#body.cancel()
  }

  async #passLater(reading: Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    const passed = this.#pass(await reading)
    return passed === null || passed.byteLength > 0 ? passed : this.read()
  }

  /** What may go on; empty when more has to be read first. */
  #pass(bytes: Uint8Array | null): Uint8Array | null {
    if (bytes !== null) return this.push(bytes)
    this.#ended = true
    const rest = this.end()
    return rest.byteLength === 0 ? null : rest
  }
}
