/** A small HTTP proxy: forwards requests with an absolute target, and opens tunnels. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface ProxyOptions {
  /** The answer to every request, as a status or as it stands; an empty one is silence. */
  readonly refuse?: number | string
}

export interface TestProxy extends AsyncDisposable {
  readonly port: number
  /** The heads of the requests that came to the proxy itself. */
  readonly requests: readonly { readonly line: string; readonly headers: Readonly<Record<string, string>> }[]
  /** Every byte that came from clients. */
  seen(): string
  connections(): number
  open(): number
}

export async function startProxy({ refuse }: ProxyOptions = {}): Promise<TestProxy> {
  const requests: { line: string; headers: Record<string, string> }[] = []
  const seen: Buffer[] = []
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    open.add(client)
    client.on('close', () => open.delete(client)).on('error', () => client.destroy())
    let forwarding: Socket | null = null
    client.on('data', (bytes: Buffer) => {
      seen.push(bytes)
      // Heads are small and come whole.
      const text = bytes.toString('latin1')
      const head = /^[A-Z]+ (?:http:\/\/)?\S+ HTTP\/1\.1\r\n/.test(text) ? readHead(text) : null
      if (head !== null && forwarding === null) requests.push(head)
      else if (head !== null && !head.line.startsWith('CONNECT')) requests.push(head)
      if (refuse !== undefined) {
        if (refuse !== '')
          client.write(typeof refuse === 'string' ? refuse : `HTTP/1.1 ${refuse} No\r\nContent-Length: 0\r\n\r\n`)
        return
      }
      if (forwarding !== null) return void forwarding.write(toOrigin(bytes))
      forwarding = connect(addressOf(head?.line ?? ''))
      forwarding.on('error', () => client.destroy()).on('close', () => client.destroy())
      client.on('close', () => forwarding?.destroy())
      if (head?.line.startsWith('CONNECT')) client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      else forwarding.write(toOrigin(bytes))
      forwarding.pipe(client)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    seen: () => Buffer.concat(seen).toString('latin1'),
    connections: () => connections,
    open: () => open.size,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function readHead(text: string) {
  const [line = '', ...fields] = (text.split('\r\n\r\n')[0] ?? '').split('\r\n')
  const headers = Object.fromEntries(fields.map((field) => field.split(': ', 2) as [string, string]))
  return { line, headers }
}

function addressOf(line: string): { readonly host: string; readonly port: number } {
  const [, , host = '', port = ''] = /^\S+ (http:\/\/)?([^:/]+):(\d+)/.exec(line) ?? []
  return { host: host === 'localhost' ? '127.0.0.1' : host, port: Number(port) }
}

/** The path alone, as a server is asked. */
function toOrigin(bytes: Buffer): Buffer {
  const [, before = '', base = ''] = /^([A-Z]+ )(http:\/\/[^/]+)/.exec(bytes.toString('latin1', 0, 200)) ?? []
  return base === '' ? bytes : Buffer.concat([Buffer.from(before), bytes.subarray(before.length + base.length)])
}
