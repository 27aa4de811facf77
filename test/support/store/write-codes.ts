/** Codes that are all of one byte, another at each turn, so that a mixture of two turns is seen. */
import { signCoder } from '#store/documents/indexing/sign-code.ts'
import { CodeIndex } from '#store/documents/search/code-index.ts'

export const writtenByTurns = { sets: 4000, codeBytes: 48 }

export function codesOfTurn(turn: number): CodeIndex {
  const index = new CodeIndex(signCoder(8 * writtenByTurns.codeBytes))
  const codes = new Uint8Array(10 * writtenByTurns.codeBytes).fill(turn % 256)
  const scales = new Uint8Array(40)
  for (let slot = 0; slot < writtenByTurns.sets; slot += 1) index.add(slot, [{ centre: 0, first: 0, codes, scales }])
  return index
}
