import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { Secret } from '#lib/secret.ts'
import { newSecret, signatures } from './sign.ts'

describe('signatures', () => {
  test('are those of the published example', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, payload: '{"test": 2432232314}' }
    expect(signatures(message, [new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')])).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  test('are one for each secret, and differ with every part of the message', () => {
    const secrets = [newSecret(), newSecret()]
    const message = { id: 'evt_1', timestamp: 1_700_000_000, payload: '{"name":"Grüße"}' }
    const both = signatures(message, secrets).split(' ')
    const expected = secrets.map((secret) => {
      const key = Buffer.from(secret.reveal().replace('whsec_', ''), 'base64')
      expect(key.byteLength).toBe(32)
      return `v1,${createHmac('sha256', key).update('evt_1.1700000000.{"name":"Grüße"}').digest('base64')}`
    })
    expect(both).toEqual(expected)
    const others = [{ id: 'evt_2' }, { timestamp: 1_700_000_001 }, { payload: '{}' }]
    for (const change of others) expect(signatures({ ...message, ...change }, secrets)).not.toContain(both[0] ?? '')
  })
})
