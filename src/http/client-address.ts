/**
 * Which client a request comes from. A proxy is believed only when it is one of the trusted ones:
 * any client can write the headers `Forwarded` (RFC 7239) and `X-Forwarded-For`.
 */
import { addressBits, isWithin, plainAddress, type IpNetwork } from '#lib/ip-network.ts'

/**
 * The client's address: the peer, or behind trusted proxies the nearest address that is not one of
 * them. Each proxy appends its own peer, so the lists are read from the right. When both headers are
 * there and lead to two addresses, one of them was written by the client: the proxy's address counts.
 * @param peer address of the connection; empty when it has none
 */
export function clientAddress(peer: string, headers: Headers, trusted: readonly IpNetwork[]): string {
  const own = plainAddress(peer)
  if (!isTrusted(own, trusted)) return own
  const lists = [forwardedFor(headers.get('forwarded')), xForwardedFor(headers.get('x-forwarded-for'))]
  const clients = new Set(lists.filter((list) => list.length > 0).map((list) => nearestStranger(own, list, trusted)))
  const [client = own] = clients
  return clients.size > 1 ? own : client
}

function nearestStranger(peer: string, list: readonly string[], trusted: readonly IpNetwork[]): string {
  let nearest = peer
  for (const address of list.toReversed()) {
    // An unknown or hidden address (RFC 7239, 6.2): behind it nothing is known.
    if (!isTrusted(nearest, trusted) || addressBits(address) === null) break
    nearest = plainAddress(address)
  }
  return nearest
}

function isTrusted(address: string, trusted: readonly IpNetwork[]): boolean {
  const bits = addressBits(address)
  return bits !== null && trusted.some((network) => isWithin(bits, network))
}

function xForwardedFor(header: string | null): readonly string[] {
  return header === null ? [] : header.split(',').map((element) => withoutPort(element.trim()))
}

/** The values of `for`, an empty text where an element has none. */
function forwardedFor(header: string | null): readonly string[] {
  if (header === null) return []
  const elements = header.match(/(?:[^,"]|"[^"]*"?)+/g) ?? []
  return elements.map((element) => {
    const [, quoted, bare] = /(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(element) ?? []
    return withoutPort(quoted ?? bare ?? '')
  })
}

function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\w+)?$/.exec(text)?.[1]
  return bracketed ?? text.replace(/^([^:]*):\w+$/, '$1')
}
