/** Uploads of any size through the gateway: at the pace of the slower side, held by nobody, and ended when either side ends them. */
import { heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { compositeOf, modelWithEndpoints } from '#test/support/contract/endpoint-contract.ts'
import { startGateway, type GatewayApp } from '#test/support/app/gateway-app.ts'
import { RawClient, rawRequest } from '#test/support/network/raw-client.ts'
import { until } from '#test/support/until.ts'
import { startUploadSink, type ReceivedUpload, type UploadSink } from '#test/support/upstream/upload-sink.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'

const megabyte = Buffer.alloc(1_000_000, 0x61)
const megabytes = 100
const opening = (model: string) =>
  `--b\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n`
const closing = '\r\n--b--\r\n'
const roomy = ['server.max_body_bytes=200000000', 'server.body_read_seconds=3600']

interface Rig extends AsyncDisposable {
  readonly gateway: GatewayApp
  readonly sink: UploadSink
  /** Leads to the sink; its upstream name is `up`. */
  readonly model: string
}

async function rig(set: readonly string[] = roomy): Promise<Rig> {
  await using starting = new AsyncDisposableStack()
  const sink = starting.use(await startUploadSink())
  const gateway = starting.use(await startGateway({ set }))
  const provider = await gateway.operate('POST', '/providers', { name: 'sink', kind: 'openai', base_url: sink.url })
  const { id } = (await provider.json()) as { readonly id: string }
  await gateway.operate('POST', '/models', { name: 'sunk', provider_id: id, upstream_name: 'up' })
  const resources = starting.move()
  return { gateway, sink, model: 'sunk', [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

interface Sending {
  readonly client: RawClient
  readonly requestId: string
  /** Resolves with the number of megabytes that were taken. */
  readonly sent: Promise<number>
}

/** Begins to send a recording of 100 MB. */
function send({ gateway, model }: Rig, framing: 'declared' | 'chunked' = 'declared'): Sending {
  const client = new RawClient(gateway.port)
  const requestId = `upload-${crypto.randomUUID()}`
  const chunked = framing === 'chunked'
  const length = Buffer.byteLength(opening(model)) + megabytes * megabyte.length + closing.length
  const headers = {
    'X-Request-Id': requestId,
    'Content-Type': 'multipart/form-data; boundary=b',
    ...(chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(length) }),
  }
  client.write(rawRequest({ path: '/ai/v1/audio/transcriptions', key: gateway.keys.main.secret, headers }))
  const framed = (bytes: Buffer) =>
    chunked ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]) : bytes
  const sendAll = async (): Promise<number> => {
    await client.writeAll(framed(Buffer.from(opening(model))))
    for (let index = 0; index < megabytes; index += 1) {
      if (client.isClosed) return index
      await client.writeAll(framed(megabyte))
    }
    await client.writeAll(framed(Buffer.from(closing)))
    if (chunked) client.write('0\r\n\r\n')
    return megabytes
  }
  return { client, requestId, sent: sendAll() }
}

async function firstUpload({ sink }: Rig): Promise<ReceivedUpload> {
  await until(() => (sink.uploads[0]?.bodyBytes ?? 0) > 0)
  return sink.uploads[0]!
}

/** Buffers that something still refers to: what passes through and waits to be collected is not among them. */
function heldBytes(): number {
  Bun.gc(true)
  return heapStats().extraMemorySize
}

const expectedBody = (): { readonly sha256: string; readonly length: number } => {
  const hash = createHash('sha256').update(opening('up'))
  for (let index = 0; index < megabytes; index += 1) hash.update(megabyte)
  return {
    sha256: hash.update(closing).digest('hex'),
    length: opening('up').length + megabytes * megabyte.length + closing.length,
  }
}

describe('100 MB', () => {
  test('arrive byte for byte but for the name of the model, and their length with them', async () => {
    await using subject = await rig()
    const { client, requestId, sent } = send(subject)
    using _ = client
    const upload = await firstUpload(subject)
    const expected = expectedBody()
    expect(upload.head).toContain(`content-length: ${expected.length}\r\n`)
    expect(await sent).toBe(megabytes)
    await until(() => upload.bodyBytes === expected.length)
    expect(upload.sha256).toBe(expected.sha256)
    upload.answer(200, '{"text":"Hello."}')
    await client.untilText('{"text":"Hello."}')
    const row = await subject.gateway.usageOf(requestId)
    expect(row).toMatchObject({ status: 200, attempts: 1, endpoint: 'audio/transcriptions' })
    expect(row.requestBytes).toBe(expected.length + 'sunk'.length - 'up'.length)
  })

  test('of a length that nobody announced arrive in chunks, whole', async () => {
    await using subject = await rig()
    const { client, sent } = send(subject, 'chunked')
    using _ = client
    const upload = await firstUpload(subject)
    expect(upload.head).toContain('transfer-encoding: chunked\r\n')
    expect(upload.head).not.toContain('content-length')
    expect(await sent).toBe(megabytes)
    await until(() => upload.tail.endsWith('\r\n0\r\n\r\n'))
    expect(upload.bodyBytes).toBeGreaterThan(expectedBody().length)
    upload.answer(200, '{"text":"Hello."}')
    await client.untilText('{"text":"Hello."}')
  })

  test('are held by nobody: an upstream that stops reading stops the client', async () => {
    await using subject = await rig()
    subject.sink.pauseAll()
    const { client, sent } = send(subject)
    using _ = client
    await until(() => subject.sink.uploads.length === 1)
    const upload = subject.sink.uploads[0]!
    const before = heldBytes()
    let isSent = false
    void sent.then(() => (isSent = true))
    for (let turn = 0; turn < 2000; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
    expect(isSent).toBe(false)
    upload.resume()
    for (let megabytesSent = 10; megabytesSent < megabytes; megabytesSent += 10) {
      await until(() => upload.bodyBytes > megabytesSent * megabyte.length)
      expect(heldBytes() - before).toBeLessThan(15_000_000)
    }
    await until(() => isSent && upload.tail.endsWith(closing))
    upload.answer(200, '{}')
    await client.untilText('200 OK')
  })
})

describe('an upload that ends before its end', () => {
  test('because the client leaves ends the call upstream, and holds nothing', async () => {
    await using subject = await rig()
    const { client, requestId, sent } = send(subject)
    const upload = await firstUpload(subject)
    await until(() => upload.bodyBytes > 5_000_000)
    upload.pause()
    client.reset()
    upload.resume()
    await Promise.all([upload.closed, sent])
    expect(await subject.gateway.usageOf(requestId)).toMatchObject({ status: 499, code: 'client_closed' })
    await until(async () => (await subject.gateway.metric('sluice_inflight_requests{model="sunk"}')) === 0)
  })

  test('because the upstream refuses it gets the refusal while it runs, and the upstream no more of it', async () => {
    await using subject = await rig()
    const { client, requestId, sent } = send(subject)
    using _ = client
    const upload = await firstUpload(subject)
    upload.pause()
    upload.answer(413, '{"error":{"message":"At most 25 MB.","code":"too_big"}}')
    await client.untilText('"message":"At most 25 MB."')
    expect(client.text).toStartWith('HTTP/1.1 413')
    await sent
    upload.resume()
    await upload.closed
    expect(upload.bodyBytes).toBeLessThan(50_000_000)
    expect(await subject.gateway.usageOf(requestId)).toMatchObject({ status: 413, upstreamStatus: 413, attempts: 1 })
  })

  test('because the upstream breaks the connection is 502', async () => {
    await using subject = await rig()
    const { client, sent } = send(subject)
    using _ = client
    const upload = await firstUpload(subject)
    await until(() => upload.bodyBytes > 5_000_000)
    upload.reset()
    await client.untilText('"code":"upstream_error"')
    expect(client.text).toStartWith('HTTP/1.1 502')
    await sent
  })

  test('because it passes the limit is 413, and the upstream never sees its end', async () => {
    await using subject = await rig(['server.max_body_bytes=10000000'])
    const { client, requestId, sent } = send(subject, 'chunked')
    using _ = client
    await client.untilText('"code":"request_too_large"')
    expect(client.text).toStartWith('HTTP/1.1 413')
    await sent
    const upload = await firstUpload(subject)
    await upload.closed
    expect(upload.bodyBytes).toBeLessThan(12_000_000)
    expect(upload.tail).not.toEndWith('0\r\n\r\n')
    expect(await subject.gateway.usageOf(requestId)).toMatchObject({ status: 413, code: 'request_too_large' })
  })

  test('because it dribbles is 408', async () => {
    await using subject = await rig(['server.max_body_bytes=200000000', 'server.body_read_seconds=0.2'])
    using client = new RawClient(subject.gateway.port)
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': '100000' }
    client.write(rawRequest({ path: '/ai/v1/audio/transcriptions', key: subject.gateway.keys.main.secret, headers }))
    client.write(opening(subject.model))
    await client.untilText('"code":"body_timeout"')
    expect(client.text).toStartWith('HTTP/1.1 408')
    await (
      await firstUpload(subject)
    ).closed
  })
})

describe('failing over', () => {
  const small = (gateway: GatewayApp, model: string, bytes: number) => {
    const body = Buffer.concat([Buffer.from(opening(model)), Buffer.alloc(bytes, 0x62), Buffer.from(closing)])
    const headers = { 'content-type': 'multipart/form-data; boundary=b', 'x-request-id': `small-${bytes}` }
    return gateway.request('POST', '/ai/v1/audio/transcriptions', { headers, body })
  }

  test('sends an upload that is still held to the next upstream, whole', async () => {
    await using gateway = await startGateway({ set: roomy })
    const [first, second] = [await modelWithEndpoints(gateway, ['audio/transcriptions']), 'plain']
    const model = await compositeOf(gateway, [first, second])
    gateway.upstream.scriptNext(json({}, 500))
    const response = await small(gateway, model, 500_000)
    expect([response.status, response.headers.get('x-sluice-attempts')]).toEqual([200, '2'])
    const [one, two] = gateway.upstream.requests
    expect(Buffer.from(one!.body).equals(Buffer.from(two!.body))).toBe(true)
    expect(Buffer.from(two!.body).toString('latin1')).toStartWith(opening('upstream-model'))
  })

  test('sends a large one when no byte of it had gone, and answers the failure when one had', async () => {
    await using gateway = await startGateway({ set: roomy })
    const behindRefusal = await compositeOf(gateway, ['on-refusing', 'plain'])
    const served = await small(gateway, behindRefusal, 20_000_000)
    expect([served.status, served.headers.get('x-sluice-attempts')]).toEqual([200, '2'])
    expect(gateway.upstream.requests.at(-1)!.body.length).toBeGreaterThan(20_000_000)
    await served.arrayBuffer()
    const behindFailure = await compositeOf(gateway, [
      await modelWithEndpoints(gateway, ['audio/transcriptions']),
      'plain',
    ])
    gateway.upstream.scriptNext(json({}, 500))
    const failed = await small(gateway, behindFailure, 20_000_000)
    expect([failed.status, failed.headers.get('x-sluice-attempts')]).toEqual([502, '1'])
    await failed.arrayBuffer()
  })
})
