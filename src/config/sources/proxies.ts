/**
 * The proxies of the environment: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in capitals or not, as most
 * programs read them. They are not settings of Sluice, because libraries in this process read them too.
 * Meaning: https://everything.curl.dev/usingcurl/proxies/env.html
 */
import { BlockList, isIP } from 'node:net'
import type { Proxy, ProxyFor } from '#lib/http1/proxy.ts'
import { Secret } from '#lib/secret.ts'
import { variable, type Environment } from './environment.ts'
import { shownValue, type Problem } from '../problem.ts'

export interface Proxies {
  readonly proxyFor: ProxyFor
  readonly problems: readonly Problem[]
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Which proxy each URL is to be reached by. This machine itself is never reached by one. */
export function readProxies(environment: Environment): Proxies {
  const secure = readProxy(environment, 'HTTPS_PROXY')
  const plain = readProxy(environment, 'HTTP_PROXY')
  const isExempt = exemptions(valueOf(environment, 'NO_PROXY') ?? '')
  return {
    proxyFor: (url) => {
      const { proxy } = url.protocol === 'https:' ? secure : plain
      return proxy === null || isExempt(url) ? null : proxy
    },
    problems: [...secure.problems, ...plain.problems],
  }
}

function valueOf(environment: Environment, name: string): string | null {
  return variable(environment, name.toLowerCase()) ?? variable(environment, name)
}

interface ReadProxy {
  readonly proxy: Proxy | null
  readonly problems: readonly Problem[]
}

function readProxy(environment: Environment, name: string): ReadProxy {
  const value = valueOf(environment, name)
  if (value === null) return { proxy: null, problems: [] }
  const url = URL.parse(value.includes('://') ? value : `http://${value}`)
  if (url?.protocol !== 'http:' || url.hostname === '') {
    const expected = 'expected the address of an HTTP proxy, for example http://proxy.example:3128'
    const remedy = 'Correct the variable or remove it.'
    return { proxy: null, problems: [{ name, source: name, value: shownValue(value), expected, remedy }] }
  }
  const { port, username, password } = url
  const credential = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const proxy = {
    hostname: bare(url.hostname),
    port: port === '' ? 80 : Number(port),
    authorization: username === '' ? null : new Secret(`Basic ${Buffer.from(credential).toString('base64')}`),
  }
  return { proxy, problems: [] }
}

/** An entry is `*`, a domain with all below it, an address or a range of addresses; a port narrows it. */
function exemptions(list: string): (url: URL) => boolean {
  const entries = list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(exemption)
  return (url) => {
    const host = bare(url.hostname)
    if (host === 'localhost' || host.endsWith('.localhost') || isWithin(loopback, host)) return true
    const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
    return entries.some((isExempt) => isExempt(host, port))
  }
}

function exemption(entry: string): (host: string, port: string) => boolean {
  if (entry === '*') return () => true
  const range = /^([^/]+)\/(\d{1,3})$/.exec(entry)
  if (range !== null) return inRange(bare(range[1] ?? ''), Number(range[2]))
  if (isIP(bare(entry)) !== 0) return (host) => host === bare(entry)
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  const domain = bare(name).replace(/^\*?\./, '')
  return (host, asked) => (host === domain || host.endsWith(`.${domain}`)) && (port === undefined || port === asked)
}

function inRange(network: string, prefix: number): (host: string) => boolean {
  const version = isIP(network)
  if (version === 0 || prefix > (version === 4 ? 32 : 128)) return () => false
  const range = new BlockList()
  range.addSubnet(network, prefix, version === 4 ? 'ipv4' : 'ipv6')
  return (host) => isWithin(range, host)
}

function isWithin(range: BlockList, host: string): boolean {
  const version = isIP(host)
  return version !== 0 && range.check(host, version === 4 ? 'ipv4' : 'ipv6')
}

/** An IPv6 address without its brackets. */
function bare(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}
