/** A realtime session through nginx with the documented configuration. */
import { expect, test } from 'bun:test'
import { startRealtimeApp } from '#test/support/app/realtime-app.ts'
import { nginx, startNginx } from '#test/support/network/documented-nginx.ts'
import { until } from '#test/support/until.ts'

test.skipIf(nginx === null)('a session goes through nginx, and requests beside it as before', async () => {
  await using app = await startRealtimeApp()
  await using proxy = await startNginx([app.gateway.port])
  const headers = { authorization: `Bearer ${app.gateway.keys.main.secret}` }
  const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}/ai/v1/realtime?model=voice`, { headers })
  const received: unknown[] = []
  let closedWith = 0
  socket.addEventListener('open', () => socket.send('there and back'))
  socket.addEventListener('message', ({ data }) => void received.push(data))
  socket.addEventListener('close', ({ code }) => void (closedWith = code))
  await until(() => received.length === 1)
  const models = await fetch(`http://127.0.0.1:${proxy.port}/ai/v1/models`, { headers })
  expect([received, models.status]).toEqual([['there and back'], 200])
  app.upstream.peer.socket.close(4001, 'enough')
  await until(() => closedWith !== 0)
  expect(closedWith).toBe(4001)
})
