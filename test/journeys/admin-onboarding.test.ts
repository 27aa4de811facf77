/** What an administrator does on the first day, from signing in to taking a key away, over HTTP only. */
import { expect, test } from 'bun:test'
import { adminEmail, startAdminApp, type Answer } from '#test/support/app/admin-app.ts'

test('an administrator connects a provider, lets a team in, sees its usage, and takes a key away', async () => {
  await using app = await startAdminApp()
  await app.call('POST', `/users/${app.adminId}/password`, { body: { password: 'first password', temporary: false } })

  // From here on the administrator has nothing but the password.
  const signIn = await app.call('POST', '/session', {
    key: null,
    body: { email: adminEmail, password: 'first password' },
  })
  const cookie = (signIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const asAdmin = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers = { cookie, origin: app.url, 'sec-fetch-site': 'same-origin' }
    const answer: Answer<T> = await app.call<T>(method, path, {
      key: null,
      headers,
      ...(body !== undefined && { body }),
    })
    expect([method, path, answer.status < 300, answer.text]).toEqual([method, path, true, answer.text])
    return answer.body
  }

  // A provider, tried before it is saved, with all of its models for one team.
  const draft = { name: 'practice', kind: 'demo' }
  expect(await asAdmin<object>('POST', '/providers/test', draft)).toMatchObject({ ok: true })
  const provider = await asAdmin<{ id: string }>('POST', '/providers', draft)
  const team = await asAdmin<{ id: string }>('POST', '/groups', { name: 'Support team' })
  const { imported } = await asAdmin<{ imported: { id: string; name: string }[] }>(
    'POST',
    `/providers/${provider.id}/import-models`,
    { groups: [team.id] },
  )
  expect(imported.map((model) => model.name)).toEqual(['demo-chat', 'demo-vision', 'demo-embed'])
  const chatModel = imported[0]
  await asAdmin('PATCH', `/models/${chatModel?.id}`, { aliases: ['assistant'] })

  // A user with a key, let into the team.
  const user = await asAdmin<{ id: string }>('POST', '/users', { email: 'sam@example.org', name: 'Sam' })
  const key = await asAdmin<{ id: string; secret: string }>('POST', `/users/${user.id}/keys`, { name: 'ticket bot' })
  const chat = () =>
    app.call('POST', '//ai/v1/chat/completions', {
      key: key.secret,
      body: { model: 'assistant', messages: [{ role: 'user', content: 'Hello' }] },
    })
  expect((await chat()).code).toBe('model_access_denied')
  await asAdmin('PUT', `/users/${user.id}/groups/${team.id}`)
  expect((await chat()).status).toBe(200)

  // The usage of that key: one refusal, one answer.
  await app.usageRows(2)
  expect(await asAdmin<object>('GET', `/usage?key_id=${key.id}`)).toMatchObject({ requests: 2, errors: 1 })
  const { data } = await asAdmin<{ data: object[] }>('GET', `/requests?key_id=${key.id}`)
  expect(data[0]).toMatchObject({ status: 200, model_asked: 'assistant', model: 'demo-chat', user_id: user.id })

  // The key is taken away, then the administrator leaves.
  await asAdmin('DELETE', `/keys/${key.id}`)
  expect((await chat()).code).toBe('invalid_api_key')
  await asAdmin('DELETE', '/session')
  expect((await app.call('GET', '/users', { key: null, headers: { cookie } })).code).toBe('invalid_session')
})
