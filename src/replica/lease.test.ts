import { expect, test } from 'bun:test'
import { Lease } from './lease.ts'

function leaseAt() {
  const time = { elapsed: 5_000, now: 1_760_000_000_000 }
  const lease = new Lease({ elapsed: () => time.elapsed, now: () => time.now }, 1000)
  const pass = (ms: number): void => {
    time.elapsed += ms
    time.now += ms
  }
  return { lease, time, pass }
}

test('a lease that was never renewed is not held', () => {
  expect(leaseAt().lease.held).toBe(false)
})

test('a lease ends before the time-out, counted from before the heartbeat was sent', () => {
  const { lease, pass } = leaseAt()
  const sentAt = lease.mark()
  pass(600)
  lease.renew(sentAt)
  expect(lease.held).toBe(true)
  pass(299)
  expect(lease.held).toBe(true)
  pass(1)
  expect(lease.held).toBe(false)
})

test('a heartbeat whose answer took longer than the lease renews nothing', () => {
  const { lease, pass } = leaseAt()
  const sentAt = lease.mark()
  pass(900)
  lease.renew(sentAt)
  expect(lease.held).toBe(false)
})

test('a lease ends by whichever clock went further: one stands still in sleep, the other can be set back', () => {
  const slept = leaseAt()
  slept.lease.renew(slept.lease.mark())
  slept.time.now += 900
  expect(slept.lease.held).toBe(false)

  const setBack = leaseAt()
  setBack.lease.renew(setBack.lease.mark())
  setBack.time.now -= 3_600_000
  expect(setBack.lease.held).toBe(true)
  setBack.time.elapsed += 900
  expect(setBack.lease.held).toBe(false)
})
