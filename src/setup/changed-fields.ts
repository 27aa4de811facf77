/** Which fields of a stored record differ from what is wanted, so that nothing is written without need. */
import { Secret } from '#lib/secret.ts'

/** The wanted fields that the record has otherwise; null when there are none. */
export function changedFields<R extends object, W extends Partial<R>>(record: R, wanted: W): Partial<W> | null {
  const changed = Object.entries(wanted).filter(([name, value]) => !isSame(Reflect.get(record, name), value))
  return changed.length === 0 ? null : (Object.fromEntries(changed) as Partial<W>)
}

function isSame(left: unknown, right: unknown): boolean {
  if (left instanceof Secret && right instanceof Secret) return left.reveal() === right.reveal()
  return Bun.deepEquals(left, right)
}
