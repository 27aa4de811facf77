/**
 * IP addresses and networks as 128 bits; an IPv4 address is its IPv4-mapped IPv6 address (RFC 4291,
 * 2.5.5.2), so that a listener for both sees one address in one way.
 */
import { isIP } from 'node:net'

export interface IpNetwork {
  readonly bits: bigint
  /** How many leading bits are the network's. */
  readonly length: number
}

const addressLength = 128
const mappedPrefix = 0xffff_0000_0000n

/** The address as a number; null for any text that is not one. A zone (`%eth0`) is not taken. */
export function addressBits(text: string): bigint | null {
  const version = text.includes('%') ? 0 : isIP(text)
  if (version === 4) return mappedPrefix | v4Bits(text)
  if (version !== 6) return null
  const [before = '', after] = spelledOut(text).split('::')
  const [head, tail] = [groupsOf(before), groupsOf(after ?? '')]
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0n)
  return [...head, ...zeros, ...tail].reduce((bits, group) => (bits << 16n) | group, 0n)
}

/** A network in CIDR notation (RFC 4632), or one address; null for anything else. */
export function readNetwork(text: string): IpNetwork | null {
  const [address = '', written, ...rest] = text.split('/')
  const bits = addressBits(address)
  if (bits === null || rest.length > 0) return null
  const longest = isIP(address) === 4 ? 32 : addressLength
  if (written === undefined) return { bits, length: addressLength }
  if (!/^\d{1,3}$/.test(written) || Number(written) > longest) return null
  return { bits, length: Number(written) + addressLength - longest }
}

/** Whether the address lies in the network. */
export function isWithin(address: bigint, { bits, length }: IpNetwork): boolean {
  const hostBits = BigInt(addressLength - length)
  return address >> hostBits === bits >> hostBits
}

/** The address without the prefix that maps it into IPv6, if it has one. */
export function plainAddress(text: string): string {
  const bits = addressBits(text)
  if (bits === null || bits >> 32n !== mappedPrefix >> 32n) return text
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.')
}

function v4Bits(text: string): bigint {
  return text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
}

/** An address that ends in IPv4 notation, with that part as two groups. */
function spelledOut(text: string): string {
  const v4 = /[^:]*\.[^:]*$/.exec(text)?.[0]
  if (v4 === undefined) return text
  const bits = v4Bits(v4)
  return `${text.slice(0, -v4.length)}${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`
}

function groupsOf(text: string): readonly bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`))
}
