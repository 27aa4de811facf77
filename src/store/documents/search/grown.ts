/** Typed arrays that grow. */

interface Settable {
  readonly length: number
  set(values: never, offset?: number): void
}

/** The array, or a longer copy when it has fewer places than needed; new places are 0. */
export function grown<Values extends Settable>(values: Values, length: number): Values {
  if (values.length >= length) return values
  const Made = values.constructor as new (length: number) => Values
  const longer = new Made(Math.max(length, Math.ceil(values.length * 1.25), 16))
  longer.set(values as never)
  return longer
}
