/** Addresses that only this machine or its networks can reach, and those that no server on the internet has. */
import { isIP } from 'node:net'
import { addressBits, isWithin, readNetwork, type IpNetwork } from './ip-network.ts'

/** From the special-purpose registries of IANA (RFC 6890), with the ways of IPv6 to carry an IPv4 address. */
const networks: readonly IpNetwork[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
].flatMap((text) => readNetwork(text) ?? [])

/** True for every IP address that is not a public one, and for a text that is not an IP address. */
export function isPrivateAddress(text: string): boolean {
  const bits = addressBits(text.replace(/%.*$/, ''))
  return bits === null || networks.some((network) => isWithin(bits, network))
}

/** Whether a host, as `URL.hostname` spells it, is private by its name alone: a private address, or this machine. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return isIP(host) === 0 ? host === 'localhost' || host.endsWith('.localhost') : isPrivateAddress(host)
}
