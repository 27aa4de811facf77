import { describe, expect, test } from 'bun:test'
import { isPrivateAddress, isPrivateHost } from './private-address.ts'

/** The address as the host of a URL has it, whatever way it was spelled. */
function hostOf(spelling: string): string {
  return new URL(`http://${spelling}/`).hostname.replace(/^\[|\]$/g, '')
}

describe('isPrivateAddress', () => {
  test('finds loopback in every spelling that a URL allows', () => {
    const spellings = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '0x7f.1',
      '017700000001',
      '127.255.255.254',
    ]
    const inV6 = [
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
    ]
    for (const spelling of [...spellings, ...inV6])
      expect([spelling, isPrivateAddress(hostOf(spelling))]).toEqual([spelling, true])
  })

  test('finds each end of each private network, and not their neighbours', () => {
    const ends = [
      '0.0.0.0',
      '0.255.255.255',
      '10.0.0.0',
      '10.255.255.255',
      '100.64.0.0',
      '100.127.255.255',
      '169.254.169.254',
    ]
    const more = ['172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255', '224.0.0.1', '255.255.255.255']
    const v6 = [
      '::',
      'fc00::',
      'fdff:ffff::1',
      'fe80::1',
      'fe80::1%eth0',
      'febf::1',
      'fec0::1',
      'ff02::1',
      '2001:db8::1',
      '::ffff:10.0.0.1',
    ]
    for (const address of [...ends, ...more, ...v6])
      expect([address, isPrivateAddress(address)]).toEqual([address, true])
    const open = [
      '1.0.0.0',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
    ]
    const public6 = [
      '169.253.255.255',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '223.255.255.255',
      '2606:4700::1111',
      '2001:4860:4860::8888',
      '::ffff:8.8.8.8',
    ]
    for (const address of [...open, ...public6]) expect([address, isPrivateAddress(address)]).toEqual([address, false])
  })

  test('a text that is not an address counts as private', () => {
    for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', 'g::1']) expect(isPrivateAddress(text)).toBe(true)
  })
})

test('a host is private by its name when it is this machine or a private address, in any spelling', () => {
  const hosts = [
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '127.1',
    '[::1]',
    '2130706433',
    '10.0.0.1',
    '[::ffff:10.0.0.1]',
  ]
  for (const host of hosts) expect(isPrivateHost(new URL(`http://${host}/`).hostname)).toBe(true)
  for (const host of ['example.com', '93.184.216.34', '[2606:4700::1]', 'localhost.example.com', '10.example.com'])
    expect(isPrivateHost(new URL(`http://${host}/`).hostname)).toBe(false)
})
