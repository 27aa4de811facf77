/** What a restart of Valkey leaves, which the contract of places cannot show. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisClient } from 'bun'
import { valkeyServer } from '#test/support/limits/arena.ts'
import { freePort } from '#test/support/network/free-port.ts'
import { rejection } from '#test/support/store/store-test.ts'
import { until } from '#test/support/until.ts'
import { ValkeyPlace } from './valkey-place.ts'

const reason = valkeyServer === null ? ' (skipped: neither valkey-server nor redis-server is installed)' : ''
const members = ['a.1', 'b.1']
const lower = { members, self: 0, claims: [{ key: 'k', limit: 4, have: 0, want: 0, shares: [2, 2] }] }

describe.skipIf(valkeyServer === null)(`a place in Valkey${reason}`, () => {
  test('that came back with an old copy grants nothing before it was opened again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-valkey-'))
    const port = await freePort()
    const url = `redis://127.0.0.1:${port}`
    let server = start(port, folder)
    await using place = new ValkeyPlace({ url, installation: 'test', onHint: () => undefined })
    try {
      const open = async (): Promise<string | null> => {
        let token: string | null = null
        await until(async () => (token = await place.open(1).catch(() => null)) !== null)
        return token
      }
      const token = String(await open())
      expect(await place.exchange({ ...lower, token, seq: 1 })).toEqual([0])
      const client = new RedisClient(url)
      await client.send('SAVE', [])
      client.close()
      server.kill('SIGKILL')
      await server.exited
      expect(await rejection(place.exchange({ ...lower, token, seq: 2 }))).toBeInstanceOf(Error)
      server = start(port, folder)
      let answer: readonly number[] | null | undefined
      await until(async () => {
        answer = await place.exchange({ ...lower, token, seq: 3 }).catch(() => undefined)
        return answer !== undefined
      })
      expect(answer).toBeNull()
      const next = String(await open())
      expect(next).not.toBe(token)
      // The rows of the copy are gone.
      const more = { members, self: 1, claims: [{ key: 'k', limit: 4, have: 2, want: 2, shares: [2, 2] }] }
      expect(await place.exchange({ ...more, token: next, seq: 1 })).toEqual([0])
    } finally {
      server.kill('SIGKILL')
      await server.exited
      rmSync(folder, { recursive: true })
    }
  })

  test('that loses its hash while it runs grants nothing, either', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-valkey-'))
    const port = await freePort()
    const url = `redis://127.0.0.1:${port}`
    const server = start(port, folder)
    await using place = new ValkeyPlace({ url, installation: 'test', onHint: () => undefined })
    try {
      let token: string | null = null
      await until(async () => (token = await place.open(1).catch(() => null)) !== null)
      const client = new RedisClient(url)
      await client.send('FLUSHALL', [])
      client.close()
      expect(await place.exchange({ ...lower, token: String(token), seq: 1 })).toBeNull()
    } finally {
      server.kill('SIGKILL')
      await server.exited
      rmSync(folder, { recursive: true })
    }
  })
})

function start(port: number, folder: string): Bun.Subprocess {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'no']
  return Bun.spawn([String(valkeyServer), ...args], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
}
