/** What keeps the server from starting is told in one clear sentence, with exit code 2. */
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Installation, type Finished } from './sluice.ts'

function expectOneSentence({ code, stdout, lines }: Finished, sentence: RegExp): void {
  expect({ code, stdout, lines }).toEqual({ code: 2, stdout: '', lines: [expect.stringMatching(sentence)] })
}

describe('a start is refused', () => {
  test('when the port is taken, and the next start is still the first', async () => {
    await using sluice = new Installation()
    using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const refused = await sluice.run(['start', '--set', `server.port=${taken.port}`])
    expectOneSentence(refused, new RegExp(`^Port ${taken.port} on 127\\.0\\.0\\.1 is in use\\. .*server\\.port`))
    expectOneSentence(await sluice.run(['start', '--port', String(taken.port)]), /is in use/)
    const server = await sluice.start(['--json', '--port', '0', '--host', 'localhost'])
    expect(server.address).toStartWith('http://localhost:')
    expect(await server.statusWith(server.started.first_start!.api_key)).toBe(200)
  })

  test('when the data directory cannot be made', async () => {
    await using sluice = new Installation()
    const file = join(sluice.directory, 'file')
    writeFileSync(file, '')
    expectOneSentence(
      await sluice.run(['start', '--set', `data_dir=${file}/below`]),
      /^The data directory .*a part of its path is a file.*data_dir/,
    )
  })

  test('when a setting is wrong', async () => {
    await using sluice = new Installation()
    expectOneSentence(
      await sluice.run(['start', '--set', 'log.level=loud']),
      /^log\.level \(--set\): "loud": expected one of debug/,
    )
  })

  test('when a declared entity refers to nothing', async () => {
    await using sluice = new Installation()
    writeFileSync(join(sluice.directory, 'sluice.yaml'), 'aliases: {default: demo-caht}\n')
    expectOneSentence(
      await sluice.run(['start']),
      /^aliases\.default: there is no model "demo-caht".*Did you mean demo-chat\?$/,
    )
    writeFileSync(join(sluice.directory, 'sluice.yaml'), 'aliases: {default: demo-chat}\n')
    const server = await sluice.start(['--json'])
    expect(server.started.first_start).not.toBeNull()
  })

  test('when the database server cannot be reached, without the password of its address', async () => {
    await using sluice = new Installation({
      SLUICE_DATABASE_URL: 'postgres://sluice:canary-password@127.0.0.1:1/sluice',
      SLUICE_DATABASE_START_WAIT_SECONDS: '0',
    })
    const refused = await sluice.run(['start'])
    expectOneSentence(
      refused,
      /^The database postgres:\/\/sluice:\[secret\]@127\.0\.0\.1:1\/sluice cannot be used .*database\.url/,
    )
    expect(refused.stderr).not.toContain('canary-password')
  })

  test('when the secret key is another one than before', async () => {
    await using sluice = new Installation()
    await (await sluice.start()).stop()
    sluice.environment['SLUICE_SECURITY_SECRET_KEY'] = Buffer.alloc(32, 9).toString('base64')
    expectOneSentence(
      await sluice.run(['start']),
      /^The secret key is not the one .*security\.secret_key.*--forget-credentials/,
    )
    const forgetting = await sluice.start(['--json', '--forget-credentials'])
    expect(forgetting.started).toMatchObject({
      models: expect.arrayContaining(['demo-chat']),
      forgotten_credentials: [],
    })
  })

  test('when a newer version has used the database', async () => {
    await using sluice = new Installation()
    await (await sluice.start()).stop()
    using database = new Database(join(sluice.dataDirectory, 'sluice.db'))
    database.run('update schema_range set needs = 999')
    expectOneSentence(await sluice.run(['start']), /newer version of Sluice/)
  })

  test('when the database file is something else', async () => {
    await using sluice = new Installation()
    const file = join(sluice.directory, 'notes.txt')
    writeFileSync(file, 'this is no database, but text that is long enough to be read as its head\n'.repeat(20))
    expectOneSentence(
      await sluice.run(['start', '--set', `database.url=sqlite:${file}`]),
      /^The database .*notes\.txt cannot be used/,
    )
  })

  test('when another Sluice runs on the data directory', async () => {
    await using sluice = new Installation()
    await sluice.start()
    expectOneSentence(await sluice.run(['start']), /^Another Sluice is running on the data directory/)
  })
})
