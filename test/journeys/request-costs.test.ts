/**
 * What one chat completion makes the runtime allocate. These are counts, not times: they are the same on a busy machine.
 * A cost that is worth it raises its line here, in the commit that adds it.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** At most so many of a type for a request; of types that are not named, none. */
const budget: Readonly<Record<string, number>> = {
  // One for each async function that waits, and two environments and a function with it.
  AsyncFunctionGenerator: 8,
  Promise: 14,
  FullPromiseReaction: 2,
  JSLexicalEnvironment: 68,
  Function: 33,
  // The compiler saves some of them, or does not.
  Object: 90,
  Array: 26,
  string: 54,
  // The bytes of the two bodies, as they come and as they go on.
  Uint8Array: 9,
  ArrayBuffer: 2,
  // The runtime's own.
  BunRequest: 1,
  Headers: 2,
  Response: 1,
  NativePromiseContext: 1,
  DisposableStack: 1,
  Boolean: 1,
  'Cell Butterfly': 3,
}

/** Of the compiler and the engine's bookkeeping, which come and go on their own. */
const internal = /Executable|CodeBlock|Structure|PropertyTable|SymbolTable|Enumerator|RareData|Sentinel|Callee/
/** The counts are of 20 requests at once: a part of one is an accident. */
const slack = 0.5

test('a whole JSON request allocates no more objects of any type than its budget', async () => {
  const script = join(import.meta.dir, '../support/app/count-objects.ts')
  const child = Bun.spawn([process.execPath, script], {
    // Collections at moments of their own would take objects out of the count.
    env: { ...process.env, BUN_GC_TIMER_DISABLE: '1' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const counts = Object.entries((await child.stdout.json()) as Record<string, number>)
  const over = counts.filter(([type, count]) => !internal.test(type) && count > (budget[type] ?? 0) + slack)
  expect(over).toEqual([])
  // The counting itself works.
  expect(new Map(counts).get('BunRequest')).toBe(1)
}, 60_000)
