/** Writes a file of codes again and again until it is killed, and a dot after each time. */
import { writeCodeFile } from '#store/documents/search/code-file.ts'
import { codesOfTurn } from './write-codes.ts'

const sets = { setRowOf: (slot: number) => slot + 1, markOf: () => 1 }
for (let turn = 0; ; turn += 1) {
  await writeCodeFile(process.argv[2] ?? '', codesOfTurn(turn), sets)
  process.stdout.write('.')
}
