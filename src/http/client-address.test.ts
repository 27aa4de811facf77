import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readNetwork } from '#lib/ip-network.ts'
import { clientAddress } from './client-address.ts'

const trusted = ['10.0.0.0/8', '::1'].map((text) => readNetwork(text)!)

const addressOf = (peer: string, headers: Readonly<Record<string, string>>): string =>
  clientAddress(peer, new Headers(headers), trusted)

describe('clientAddress', () => {
  test('of a peer that is not trusted is its own, whatever it writes', () => {
    for (const name of ['forwarded', 'x-forwarded-for'])
      expect(addressOf('192.0.2.1', { [name]: name === 'forwarded' ? 'for=198.51.100.7' : '198.51.100.7' })).toBe(
        '192.0.2.1',
      )
    expect(clientAddress('10.0.0.1', new Headers({ 'x-forwarded-for': '198.51.100.7' }), [])).toBe('10.0.0.1')
  })

  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:4711', '198.51.100.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    // An address further left was written by the client.
    ['1.1.1.1, 198.51.100.7', '198.51.100.7'],
    ['1.1.1.1, 198.51.100.7,10.0.0.2', '198.51.100.7'],
    ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['198.51.100.7, garbage', '10.0.0.1'],
    ['198.51.100.7, unknown, 10.0.0.2', '10.0.0.2'],
    ['', '10.0.0.1'],
  ])('behind a trusted proxy, X-Forwarded-For "%s" is %s', (header, address) => {
    expect(addressOf('10.0.0.1', { 'x-forwarded-for': header })).toBe(address)
    expect(addressOf('::ffff:10.0.0.1', { 'x-forwarded-for': header })).toBe(address)
  })

  test.each([
    ['for=198.51.100.7', '198.51.100.7'],
    ['For="198.51.100.7:4711";proto=https;by=10.0.0.1', '198.51.100.7'],
    ['proto=https; for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for=1.1.1.1, for=198.51.100.7, for=10.0.0.2', '198.51.100.7'],
    ['for=1.1.1.1, for="_hidden, for=2.2.2.2"', '10.0.0.1'],
    ['for=198.51.100.7, proto=https', '10.0.0.1'],
    ['before=198.51.100.7', '10.0.0.1'],
  ])('behind a trusted proxy, Forwarded "%s" is %s', (header, address) => {
    expect(addressOf('10.0.0.1', { forwarded: header })).toBe(address)
  })

  test('of two headers that differ none is believed, since the proxy writes one of them at most', () => {
    const headers = { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '198.51.100.7' }
    expect(addressOf('10.0.0.1', headers)).toBe('10.0.0.1')
    expect(addressOf('10.0.0.1', { ...headers, forwarded: 'for=198.51.100.7' })).toBe('198.51.100.7')
  })

  test('is never what the client wrote, whatever that is', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'for="10.2;, :[]_a'.split('')) }), (written) => {
        const header = `${written.replaceAll('"', '')}, 198.51.100.7`
        return addressOf('10.0.0.1', { 'x-forwarded-for': header }) === '198.51.100.7'
      }),
    )
  })
})
