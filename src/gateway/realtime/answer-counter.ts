/** Watches the events of a realtime provider: which answers are under way, and what those that have ended used. */
import { parseBounded, passedJsonLimits } from '#lib/bounded-json.ts'
import { isObject } from '#lib/json-value.ts'
import { readUsage, sumUsage, type TokenUsage } from '../usage/token-usage.ts'

export class AnswerCounter {
  /** What all answers so far have used; null while none was counted. */
  usage: TokenUsage | null = null
  #underWay = 0

  /** Answers that have begun and not ended. */
  get underWay(): number {
    return this.#underWay
  }

  /** Reads an event. Whether it has changed the usage. Most events are not built: they are pieces of sound. */
  read(event: string): boolean {
    const isStart = event.includes('"response.created"')
    if (!isStart && !event.includes('"response.done"')) return false
    const value = parsed(event)
    if (!isObject(value)) return false
    if (value['type'] === 'response.created') this.#underWay += 1
    if (value['type'] !== 'response.done') return false
    this.#underWay = Math.max(0, this.#underWay - 1)
    const response = value['response']
    const used = isObject(response) ? readUsage(response['usage']) : null
    if (used !== null) this.usage = sumUsage(this.usage, used)
    return used !== null
  }
}

/** The event; null for one that is not JSON or costs too much to build. */
function parsed(event: string): unknown {
  try {
    return parseBounded(Buffer.from(event), passedJsonLimits)
  } catch {
    return null
  }
}
