/**
 * What some constructs of the language make this runtime allocate: objects of the heap for each use, by type.
 * `bun bench/runtime/allocations.ts`. An asynchronous function that waits is five objects (the promise, a generator, a
 * function and two environments), whatever it does; `Promise.withResolvers` is four, `using` an object literal four.
 */
import { heapStats } from 'bun:jsc'

const settled = Promise.resolve(1)
const list = [1, 2, 3]
const pair = { a: 1, b: 2 }
const bytes = Buffer.alloc(100, 97)

async function waits(value: Promise<number>): Promise<number> {
  return (await value) + 1
}

async function waitsWithFields({ value }: { readonly value: Promise<number> }): Promise<number> {
  return (await value) + 1
}

const uses: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  'an async function that waits': () => waits(settled),
  'the same with a destructured parameter': () => waitsWithFields({ value: settled }),
  'promise.then(f)': () => settled.then(Number),
  'Promise.withResolvers()': () => Promise.withResolvers(),
  'new Promise(f)': () => new Promise((resolve) => resolve(1)),
  'using of an object': () => {
    using held = { [Symbol.dispose]() {} }
    return held
  },
  'a DisposableStack': () => {
    using stack = new DisposableStack()
    return stack
  },
  'for (const x of list)': () => {
    let sum = 0
    for (const each of list) sum += each
    return sum
  },
  'for (const [i, x] of list.entries())': () => {
    let sum = 0
    for (const [index, each] of list.entries()) sum += index + each
    return sum
  },
  'a closure over a variable': () => {
    const { length } = list
    return () => length
  },
  'an object spread': () => ({ ...pair, c: 3 }),
  'adding four texts': () => `${list.length}-${list[0]}-${list[1]}-${list[2]}`,
  'buffer.subarray': () => bytes.subarray(0, 50),
}

const warmUps = 3000
const times = 200

function counted(use: () => unknown): ReadonlyMap<string, number> {
  for (let index = 0; index < warmUps; index += 1) use()
  Bun.gc(true)
  const before = heapStats().objectTypeCounts
  for (let index = 0; index < times; index += 1) use()
  const after = heapStats().objectTypeCounts
  return new Map(
    Object.entries(after).map(([type, count]) => [type, Math.round((count - (before[type] ?? 0)) / times)] as const),
  )
}

for (const [name, use] of Object.entries(uses)) {
  const base = counted(() => undefined)
  const types = [...counted(use)].map(([type, count]) => [type, count - (base.get(type) ?? 0)] as const)
  const shown = types.filter(([, count]) => count > 0).map(([type, count]) => `${count} ${type}`)
  console.log(`${name.padEnd(40)} ${shown.join(', ') || '-'}`)
}
