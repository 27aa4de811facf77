import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addressBits, isWithin, plainAddress, readNetwork } from './ip-network.ts'

const within = (address: string, network: string): boolean => isWithin(addressBits(address)!, readNetwork(network)!)

describe('addressBits', () => {
  test.each([
    ['0.0.0.1', 0xffff_0000_0001n],
    ['::ffff:0.0.0.1', 0xffff_0000_0001n],
    ['::', 0n],
    ['::1', 1n],
    ['1::', 1n << 112n],
    ['1:2:3:4:5:6:7:8', 0x0001_0002_0003_0004_0005_0006_0007_0008n],
    ['64:ff9b::192.0.2.33', 0x0064_ff9b_0000_0000_0000_0000_c000_0221n],
  ])('%s is one number', (text, bits) => {
    expect(addressBits(text)).toBe(bits)
  })

  test.each(['', '1.2.3', '1.2.3.4.5', '256.1.1.1', ':::', '1::2::3', 'fe80::1%eth0', 'example.org', '1.2.3.4/8'])(
    '%p is not an address',
    (text) => {
      expect(addressBits(text)).toBeNull()
    },
  )

  test('every way to write an address is the same number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (bits) => {
        const groups = Array.from({ length: 8 }, (_, index) => (bits >> BigInt(112 - 16 * index)) & 0xffffn)
        const written = groups.map((group) => group.toString(16)).join(':')
        const short = new URL(`http://[${written}]/`).hostname.slice(1, -1)
        return addressBits(written) === bits && addressBits(short) === bits
      }),
    )
  })
})

describe('a network', () => {
  test('holds the addresses that begin like it, and no others', () => {
    expect(within('10.1.2.3', '10.0.0.0/8')).toBe(true)
    expect(within('::ffff:10.1.2.3', '10.0.0.0/8')).toBe(true)
    expect(within('11.0.0.0', '10.0.0.0/8')).toBe(false)
    expect(within('10.1.2.3', '10.1.2.3')).toBe(true)
    expect(within('10.1.2.4', '10.1.2.3')).toBe(false)
    expect(within('2001:db8:1::5', '2001:db8::/32')).toBe(true)
    expect(within('2001:db9::', '2001:db8::/32')).toBe(false)
    expect(within('8.8.8.8', '0.0.0.0/0')).toBe(true)
    expect(within('::1', '0.0.0.0/0')).toBe(false)
  })

  test.each(['', '/8', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', '::/129', 'localhost', '10.0.0.0/ 8'])(
    '%p is not one',
    (text) => {
      expect(readNetwork(text)).toBeNull()
    },
  )
})

test('plainAddress takes the mapping off an IPv4 address and leaves all others as they are', () => {
  expect(['::ffff:10.1.2.3', '::ffff:a01:203', '10.1.2.3', '::1', ''].map(plainAddress)).toEqual([
    '10.1.2.3',
    '10.1.2.3',
    '10.1.2.3',
    '::1',
    '',
  ])
})
