/** `sluice api`: any address of the admin API, for what has no command of its own. */
import { UsageProblem, type Command } from '../command.ts'
import { dataCommand } from './data-command.ts'

export const apiCommand: Command = dataCommand({
  name: 'api',
  summary: 'Send one request to the admin API and print its answer as JSON.',
  details:
    'The addresses are on the page /docs of the server. For example: sluice api PATCH /models/ID \'{"active":false}\'.',
  positionals: [
    { name: 'METHOD', sentence: 'GET, POST, PUT, PATCH or DELETE.' },
    { name: 'PATH', sentence: 'Below /admin/api/v1, for example /models.' },
    { name: 'BODY', optional: true, sentence: 'JSON; - reads it from standard input.' },
  ],
  async run(client, { positionals: [method = '', path = '', body], output }) {
    if (!/^(GET|POST|PUT|PATCH|DELETE)$/i.test(method))
      throw new UsageProblem(`"${method}" is not a method of the API.`)
    if (!path.startsWith('/')) throw new UsageProblem('PATH begins with a slash, for example /models.')
    const answer = await client.call(method.toUpperCase(), path, body === undefined ? undefined : await jsonOf(body))
    output.result(answer, answer === null ? [] : [JSON.stringify(answer, null, 2)])
    return 0
  },
})

async function jsonOf(given: string): Promise<unknown> {
  try {
    return JSON.parse(given === '-' ? await Bun.stdin.text() : given) as unknown
  } catch {
    throw new UsageProblem('BODY is not JSON.')
  }
}
