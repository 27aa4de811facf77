/** What answers of a limited model say of the limit. */
import { expect, test } from 'bun:test'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { holdStream } from '#test/support/upstream/held-stream.ts'
import { json } from '#test/support/upstream/upstream-behaviours.ts'

function told({ headers }: Response): readonly (string | null)[] {
  return [headers.get('x-sluice-inflight-limit'), headers.get('x-sluice-inflight-used')]
}

test('while the limit is enforced every answer tells it, and how much of it is in use', async () => {
  await using gateway = await startGateway({
    set: ['limits.realtime_inflight.enforce=true', 'limits.realtime_inflight.default=2'],
  })
  expect(told(await gateway.chat())).toEqual(['2', '1'])
  const held = await holdStream(gateway, 'plain')
  expect(told(held.response)).toEqual(['2', '1'])
  expect(told(await gateway.chat())).toEqual(['2', '2'])
  gateway.upstream.scriptNext(json({}, 500))
  const failed = await gateway.chat()
  expect([failed.status, ...told(failed)]).toEqual([502, '2', '2'])
  const second = await holdStream(gateway, 'plain')
  const refused = await gateway.chat()
  expect([refused.status, ...told(refused)]).toEqual([429, '2', '2'])
  await Promise.all([held.finish(), second.finish()])
})

test('while it is not, nothing is told', async () => {
  await using gateway = await startGateway()
  expect(told(await gateway.chat())).toEqual([null, null])
})
