/**
 * What one chat completion makes the runtime allocate. These are counts, not times: they are the same on a busy machine.
 * A cost that is worth it raises its line here, in the commit that adds it.
 */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** At most so many of a type for a request; of types that are not named, none. */
const budget: Readonly<Record<string, number>> = {
  // One for each async function that waits, and a function with it, and two environments where it has parameters.
  AsyncFunctionGenerator: 5,
  Promise: 9,
  FullPromiseReaction: 2,
  JSLexicalEnvironment: 18,
  Function: 10,
  // The compiler saves some of them, or does not.
  Object: 76,
  Array: 18,
  string: 48,
  // The bytes of the two bodies, as they come and as they go on.
  Uint8Array: 7,
  ArrayBuffer: 1,
  // The runtime's own.
  BunRequest: 1,
  Headers: 2,
  Response: 1,
  NativePromiseContext: 1,
  DisposableStack: 1,
  Boolean: 1,
  'Cell Butterfly': 1,
}

/** What else it asks of the runtime, at most. A write is a system call, and a part of an answer two: one here and one at the client. */
const askBudget: Readonly<Record<string, number>> = {
  // Time-outs share a ticker; the timers of the usage journal and of bodies are for all requests of some milliseconds.
  timer: 0,
  // The signal of a request is first touched when its call has taken a while.
  listener: 0,
  // Head and body together, to the provider.
  write: 1,
  'part of the answer': 0,
}

/** Of the compiler and the engine's bookkeeping, which come and go on their own. */
const internal = /Executable|CodeBlock|Structure|PropertyTable|SymbolTable|Enumerator|RareData|Sentinel|Callee/
/** The counts are of 20 requests at once: a part of one is an accident. */
const slack = 0.5

interface Costs {
  readonly objects: Readonly<Record<string, number>>
  readonly asked: Readonly<Record<string, number>>
}

async function costs(): Promise<Costs> {
  const script = join(import.meta.dir, '../support/app/count-objects.ts')
  const child = Bun.spawn([process.execPath, script], {
    // Collections at moments of their own would take objects out of the count.
    env: { ...process.env, BUN_GC_TIMER_DISABLE: '1' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return (await child.stdout.json()) as Costs
}

function over(counts: Costs['objects'], most: Costs['objects']): readonly (readonly [string, number])[] {
  return Object.entries(counts).filter(([type, count]) => !internal.test(type) && count > (most[type] ?? 0) + slack)
}

test('a whole JSON request allocates no more objects of any type, and asks no more of the runtime, than its budget', async () => {
  const { objects, asked } = await costs()
  expect(over(objects, budget)).toEqual([])
  expect(over(asked, askBudget)).toEqual([])
  // The counting itself works.
  expect([objects['BunRequest'], Math.round(asked['write'] ?? 0)]).toEqual([1, 1])
}, 120_000)
