/** `sluice documents move-index`: where vectors are searched from now on, and how far their move is. */
import { CommandFailure, type Command } from '../command.ts'
import { dataCommand } from '../admin/data-command.ts'
import { Interruption } from './interruption.ts'
import { ProgressLine } from './progress-line.ts'

interface IndexOnWire {
  readonly setting: string
  readonly target: string
  readonly places: readonly { readonly place: string; readonly chunks: number; readonly copied: number }[]
  readonly done: boolean
  readonly problem: string | null
}

export const indexCommand: Command = dataCommand({
  name: 'documents move-index',
  summary: 'Move the vectors of all documents to another index, while searches go on.',
  details:
    'Sets documents.vector_index and shows how far the move is. Stopped, it goes on in the server; start it again to watch.',
  positionals: [{ name: 'PLACE', sentence: 'memory, pgvector, qdrant, or auto.' }],
  flags: {},
  async run(client, { positionals: [place = ''], output }) {
    await client.call('PUT', '/settings/documents.vector_index', { value: place })
    using interruption = new Interruption()
    using progress = new ProgressLine(output)
    for (;;) {
      const state = (await client.call('POST', '/vector-index/move')) as IndexOnWire
      const total = state.places.reduce((sum, { chunks }) => sum + chunks, 0)
      const there = state.places.find((each) => each.place === state.target) ?? { chunks: 0, copied: 0 }
      if (state.problem !== null) throw new CommandFailure(state.problem)
      if (state.done) {
        progress.clear()
        output.result(state, [`${there.chunks} of ${total} chunks are searched by: ${state.target}.`])
        return 0
      }
      const building = there.copied > 0 && there.copied + there.chunks === total ? ', building its index' : ''
      progress.show(there.chunks + there.copied, total, `${there.chunks + there.copied}/${total} chunks${building}`)
      if (interruption.signal.aborted) {
        output.problems(['Stopped. A running server goes on with the move.'])
        return 1
      }
    }
  },
})
