/** The official OpenAI client: listing models and looking one up. */
import { expect, test } from 'bun:test'
import { NotFoundError, PermissionDeniedError } from 'openai'
import { startGateway } from '#test/support/app/gateway-app.ts'
import { openAiClient } from './openai-client.ts'

test('models are listed, and one is found by name, by alias and with a slash in its name', async () => {
  await using gateway = await startGateway()
  const client = openAiClient(gateway)
  const ids: string[] = []
  for await (const model of client.models.list()) ids.push(model.id)
  expect(ids).toEqual(['narrow', 'on-disabled', 'on-refusing', 'plain', 'shared', 'vendor/slashed'])
  for (const [asked, found] of [
    ['plain', 'plain'],
    ['plain-alias', 'plain'],
    ['vendor/slashed', 'vendor/slashed'],
  ] as const) {
    expect(await client.models.retrieve(asked)).toMatchObject({ id: found, object: 'model', owned_by: 'up' })
  }
})

test('a model that is unknown or not the caller’s throws the class of its status', async () => {
  await using gateway = await startGateway()
  const client = openAiClient(gateway)
  const thrownFor = (id: string) => client.models.retrieve(id).catch((error: unknown) => error)
  expect(await thrownFor('no-such-model')).toBeInstanceOf(NotFoundError)
  expect(await thrownFor('private')).toBeInstanceOf(PermissionDeniedError)
})
