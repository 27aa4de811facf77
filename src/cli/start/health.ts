/** `sluice health`: for the health checks of containers that hold no other program. */
import { CommandFailure, type Command } from '../command.ts'
import { readConfiguration } from '../configuration.ts'
import { controlSocketOf } from '../control-socket.ts'

const answerTimeoutMs = 4000

export const healthCommand: Command = {
  name: 'health',
  summary: 'Ask the server of this data directory whether it runs; the exit code tells.',
  flags: { ready: { type: 'boolean', sentence: 'Ask whether it is ready for requests, as /readyz does.' } },
  async run({ flags, output }) {
    const { settings } = readConfiguration(flags)
    const path = flags.has('ready') ? '/readyz' : '/healthz'
    const signal = AbortSignal.timeout(answerTimeoutMs)
    const response = await fetch(`http://localhost${path}`, { unix: controlSocketOf(settings), signal }).catch(
      () => null,
    )
    if (response === null) throw new CommandFailure(`No server answers in ${settings.data_dir}.`)
    const answer: unknown = await response.json().catch(() => null)
    if (!response.ok) throw new CommandFailure(`The server answers ${response.status}: ${JSON.stringify(answer)}`)
    output.result(answer, [JSON.stringify(answer)])
    return 0
  },
}
