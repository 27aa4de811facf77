/**
 * How many prompts are with a model's providers at once, over all requests: those that wait take turns by request
 * (lib/fair-queue.ts), one prompt each.
 */
import { FairQueue } from '#lib/fair-queue.ts'

/** Disposing gives the place back, once. */
export interface Place extends Disposable {}

type Admit = (place: Place | null) => void

export class FairGate {
  readonly #limit: () => number
  readonly #queue = new FairQueue<Lane, Admit>()
  #taken = 0
  #lanes = 0

  /** @param limit asked each time, so that a changed setting holds at once */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** No request has a lane, and no prompt is with a provider. */
  get idle(): boolean {
    return this.#taken === 0 && this.#lanes === 0
  }

  /** A line of its own for one request, which disposes it. */
  lane(): Lane {
    this.#lanes += 1
    return new Lane(this)
  }

  /** For a lane: a place, at once while there is room and nobody waits. */
  enter(lane: Lane): Place | Promise<Place | null> {
    if (this.#queue.size === 0 && this.#taken < this.#limit()) return this.#take()
    return new Promise((resolve) => this.#queue.add(resolve, { lane, level: 0 }))
  }

  /** For a lane that is closed: sends away those who wait in it. */
  leave(lane: Lane): void {
    this.#lanes -= 1
    for (const admit of this.#queue.deleteLane(lane)) admit(null)
  }

  #take(): Place {
    this.#taken += 1
    let inside = true
    return {
      [Symbol.dispose]: () => {
        if (!inside) return
        inside = false
        this.#taken -= 1
        while (this.#taken < this.#limit() && this.#queue.size > 0) this.#queue.next()?.(this.#take())
      },
    }
  }
}

/** The prompts of one request, in their order. */
export class Lane implements Disposable {
  readonly #gate: FairGate
  #closed = false

  constructor(gate: FairGate) {
    this.#gate = gate
  }

  /** A place when it is this prompt's turn; null when the lane has been closed. */
  enter(): Place | null | Promise<Place | null> {
    return this.#closed ? null : this.#gate.enter(this)
  }

  /** Sends all waiting prompts away; later ones do not wait. */
  [Symbol.dispose](): void {
    if (this.#closed) return
    this.#closed = true
    this.#gate.leave(this)
  }
}

/** One gate for each model, as long as it is in use. */
export class ModelGates {
  readonly #limit: () => number
  readonly #gates = new Map<string, FairGate>()

  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** A lane to the model of this id; the caller disposes it. */
  lane(modelId: string): Lane {
    for (const [id, gate] of this.#gates) if (gate.idle && id !== modelId) this.#gates.delete(id)
    let gate = this.#gates.get(modelId)
    if (gate === undefined) this.#gates.set(modelId, (gate = new FairGate(this.#limit)))
    return gate.lane()
  }
}
