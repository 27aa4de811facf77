/**
 * How many prompts are with a model's providers at once, over all requests, and whose turn it is:
 * requests that wait are served in a circle, one prompt each, so that a request with a thousand
 * prompts holds up another with one by one prompt only.
 */

/** Disposing gives the place back, once. */
export interface Place extends Disposable {}

export class FairGate {
  readonly #limit: () => number
  #taken = 0
  #lanes = 0
  /** Lanes with waiting prompts; the first is next. */
  readonly #circle: Lane[] = []

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

  /** For a lane: a place at once, or null when it has to wait. */
  tryEnter(): Place | null {
    if (this.#circle.length > 0 || this.#taken >= this.#limit()) return null
    return this.#enter()
  }

  /** For a lane whose first waiter has come. */
  join(lane: Lane): void {
    this.#circle.push(lane)
  }

  /** For a lane that is closed. */
  leave(lane: Lane): void {
    this.#lanes -= 1
    const index = this.#circle.indexOf(lane)
    if (index >= 0) this.#circle.splice(index, 1)
  }

  #enter(): Place {
    this.#taken += 1
    let inside = true
    return {
      [Symbol.dispose]: () => {
        if (!inside) return
        inside = false
        this.#taken -= 1
        this.#admit()
      },
    }
  }

  #admit(): void {
    while (this.#taken < this.#limit()) {
      const lane = this.#circle.shift()
      if (lane === undefined) return
      if (lane.admit(this.#enter())) this.#circle.push(lane)
    }
  }
}

/** The prompts of one request, in their order. */
export class Lane implements Disposable {
  readonly #gate: FairGate
  readonly #waiting: ((place: Place | null) => void)[] = []
  #closed = false

  constructor(gate: FairGate) {
    this.#gate = gate
  }

  /** A place when it is this prompt's turn; null when the lane has been closed. */
  enter(): Place | null | Promise<Place | null> {
    if (this.#closed) return null
    const place = this.#waiting.length === 0 ? this.#gate.tryEnter() : null
    if (place !== null) return place
    if (this.#waiting.length === 0) this.#gate.join(this)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** For the gate: lets the first one in; whether others wait behind it. */
  admit(place: Place): boolean {
    const first = this.#waiting.shift()
    if (first === undefined) place[Symbol.dispose]()
    else first(place)
    return this.#waiting.length > 0
  }

  /** Sends all waiting prompts away; later ones do not wait. */
  [Symbol.dispose](): void {
    if (this.#closed) return
    this.#closed = true
    this.#gate.leave(this)
    for (const resolve of this.#waiting.splice(0)) resolve(null)
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
