/**
 * What a request costs, exactly: fractions of nano-units are added as fractions, and the sum is rounded once, half
 * up. BigInt, so that no number of tokens is too large.
 */
import { clampNano } from './nano.ts'
import { pricesTokens, ratesFor, tokenRate, type Rates, type Rating } from './price.ts'

/** What a request used, as its provider reported it. */
export interface Consumption {
  /** All input; null when nobody reported it. */
  readonly inputTokens: number | null
  /** Parts of the input. */
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly audioInputTokens: number
  readonly imageInputTokens: number
  /** All output; null when nobody reported it. */
  readonly outputTokens: number | null
  /** Parts of the output. */
  readonly reasoningTokens: number
  readonly audioOutputTokens: number
  readonly imageOutputTokens: number
  readonly images: number
  /** Milliseconds of audio. */
  readonly audioMs: number
  /** Milliseconds from the request to the end of its answer. */
  readonly durationMs: number
  /** A batch of the provider's own has answered: every rate counts for half, as these vendors bill it. */
  readonly isBatch?: boolean
}

/** Rates that have a meaning only together with their own denominators are brought to this one: of 10^6 and 3.6 × 10^6. */
const denominator = 18_000_000n
const perMillion = denominator / 1_000_000n
const perMs = denominator / 1000n
const perHourMs = denominator / 3_600_000n

/** The cost in nano-units; null when it depends on tokens that nobody reported. */
export function exactCost(price: Rating, used: Consumption): bigint | null {
  const { inputTokens, outputTokens } = used
  if (inputTokens === null && outputTokens === null && pricesTokens(price)) return null
  const rates = ratesFor(price, inputTokens ?? 0)
  const numerator = tokenSum(rates, used) * perMillion + wholeSum(rates, used)
  const whole = used.isBatch === true ? 2n * denominator : denominator
  return (2n * numerator + whole) / (2n * whole)
}

/** The same as a number, at most `nanoMax`. */
export function costOf(price: Rating, used: Consumption): number | null {
  const cost = exactCost(price, used)
  return cost === null ? null : clampNano(cost)
}

/** Tokens times rates. Parts that were reported larger than the whole are cut to it. */
function tokenSum(rates: Rates, used: Consumption): bigint {
  const input = new Parts(used.inputTokens)
  const output = new Parts(used.outputTokens)
  return (
    product(rates, 'cached_input', input.take(used.cachedTokens)) +
    product(rates, 'cache_write', input.take(used.cacheWriteTokens)) +
    product(rates, 'audio_input', input.take(used.audioInputTokens)) +
    product(rates, 'image_input', input.take(used.imageInputTokens)) +
    product(rates, 'input', input.rest) +
    product(rates, 'reasoning', output.take(used.reasoningTokens)) +
    product(rates, 'audio_output', output.take(used.audioOutputTokens)) +
    product(rates, 'image_output', output.take(used.imageOutputTokens)) +
    product(rates, 'output', output.rest)
  )
}

/** A count from which parts are taken until nothing is left. */
class Parts {
  rest: number

  constructor(whole: number | null) {
    this.rest = whole ?? 0
  }

  take(part: number): number {
    const taken = Math.min(part, this.rest)
    this.rest -= taken
    return taken
  }
}

function product(rates: Rates, kind: Parameters<typeof tokenRate>[1], tokens: number): bigint {
  return tokens === 0 ? 0n : BigInt(tokens) * BigInt(tokenRate(rates, kind))
}

function wholeSum(rates: Rates, { images, audioMs, durationMs }: Consumption): bigint {
  const { request = 0, image = 0, second = 0, machine_hour: machineHour = 0 } = rates
  return (
    BigInt(request) * denominator +
    BigInt(image) * BigInt(images) * denominator +
    BigInt(second) * BigInt(audioMs) * perMs +
    BigInt(machineHour) * BigInt(durationMs) * perHourMs
  )
}

/** The most that a request can use; null = nobody can say. */
export interface ConsumptionBound {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly images: number
  readonly audioMs: number | null
  readonly durationMs: number
}

/** The most that a request can cost, in whatever kinds its tokens come; null when there is no bound. */
export function costBound(price: Rating, most: ConsumptionBound): number | null {
  const { inputTokens, outputTokens, audioMs, images, durationMs } = most
  let bound = 0n
  for (const rates of reachable(price, inputTokens)) {
    const input = highest(rates, ['input', 'cached_input', 'cache_write', 'audio_input', 'image_input'])
    const output = highest(rates, ['output', 'reasoning', 'audio_output', 'image_output'])
    if (input > 0 && inputTokens === null) return null
    if (output > 0 && outputTokens === null) return null
    if ((rates.second ?? 0) > 0 && audioMs === null) return null
    const tokens = BigInt(input) * BigInt(inputTokens ?? 0) + BigInt(output) * BigInt(outputTokens ?? 0)
    const numerator =
      tokens * perMillion + wholeSum(rates, { ...nothingUsed, images, audioMs: audioMs ?? 0, durationMs })
    const cost = (numerator + denominator - 1n) / denominator
    if (cost > bound) bound = cost
  }
  return clampNano(bound)
}

/** All rates that may apply to a request of this length or a shorter one. */
function reachable({ rates, tiers }: Rating, inputTokens: number | null): readonly Rates[] {
  const reached = tiers.filter(({ above }) => inputTokens === null || inputTokens > above)
  return [rates, ...reached.map((tier) => ({ ...rates, ...tier.rates }))]
}

function highest(rates: Rates, kinds: readonly Parameters<typeof tokenRate>[1][]): number {
  return Math.max(...kinds.map((kind) => tokenRate(rates, kind)))
}

/** A request that used nothing. */
export const nothingUsed: Consumption = {
  inputTokens: null,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  audioInputTokens: 0,
  imageInputTokens: 0,
  outputTokens: null,
  reasoningTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
  images: 0,
  audioMs: 0,
  durationMs: 0,
}
