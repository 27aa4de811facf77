/**
 * The classes of documents that differ in nothing that decides who sees them and which filter lets them through:
 * importer, owners, category, vector space. What a search may look at is a choice of classes, so a viewer costs
 * nothing that lasts, and a search costs as much as the viewer has classes, whatever the number of documents.
 */
import type { FindQuery } from '../document-store.ts'
import { plainText } from '../plain-text.ts'

/** What a class is made of. */
export interface ClassTraits {
  readonly importerId: string
  /** Principals of all owners, sorted, each after `+` if it sees the visible version, after `-` if a later one only. */
  readonly owners: readonly string[]
  readonly category: string
  readonly spaceRow: number
}

interface VisibleClass extends ClassTraits {
  readonly key: string
  sets: number
  chunks: number
}

/** What a viewer and a filter select. */
export interface ChosenClasses {
  /** 1 for each class that is selected, by its number. */
  readonly mask: Uint8Array
  readonly sets: number
  readonly chunks: number
  readonly spaces: ReadonlySet<number>
}

export class VisibleClasses {
  readonly #numbers = new Map<string, number>()
  #classes: (VisibleClass | null)[] = []
  readonly #unused: number[] = []
  /** Numbers of the classes whose documents an importer, an owner or a category has. */
  readonly #with = new Map<string, Set<number>>()

  /** The number of the class with these traits, with one more set in it. */
  enter(traits: ClassTraits, chunks: number): number {
    // No text of the database has this character; it is many times faster than JSON, and a start does it for each document.
    const key = [traits.spaceRow, traits.importerId, traits.category, ...traits.owners].join('\0')
    const number = this.#numbers.get(key) ?? this.#make(key, traits)
    const entered = this.#classes[number]
    if (entered) {
      entered.sets += 1
      entered.chunks += chunks
    }
    return number
  }

  /** Takes a set out; a class without any is forgotten. */
  leave(number: number, chunks: number): void {
    const left = this.#classes[number]
    if (!left) return
    left.sets -= 1
    left.chunks -= chunks
    if (left.sets > 0) return
    this.#classes[number] = null
    this.#unused.push(number)
    this.#numbers.delete(left.key)
    for (const name of namesOf(left)) {
      const among = this.#with.get(name)
      among?.delete(number)
      if (among?.size === 0) this.#with.delete(name)
    }
  }

  /** The vector space that all sets of a class belong to. */
  spaceOf(number: number): number {
    return this.#classes[number]?.spaceRow ?? 0
  }

  /** What this viewer sees with this filter; `ids` is not looked at. */
  choose({ viewer, filter }: Pick<FindQuery, 'viewer' | 'filter'>): ChosenClasses {
    const mask = new Uint8Array(this.#classes.length)
    const spaces = new Set<number>()
    let [sets, chunks] = [0, 0]
    const sees = viewer.all ? null : [`importer ${viewer.userId}`, ...viewer.principals.map((each) => `sees ${each}`)]
    const owned = filter.owners?.map((each) => `owner ${plainText(each)}`) ?? null
    const categories = filter.categories && new Set(filter.categories.map(plainText))
    const ofOwners = owned && sees && new Set(this.#among(owned))
    for (const number of this.#among(sees ?? owned)) {
      const each = this.#classes[number]
      if (!each || mask[number] === 1) continue
      if (ofOwners && !ofOwners.has(number)) continue
      if (categories && !categories.has(each.category)) continue
      mask[number] = 1
      sets += each.sets
      chunks += each.chunks
      spaces.add(each.spaceRow)
    }
    return { mask, sets, chunks, spaces }
  }

  /** Numbers of the classes with one of these names; all for null. Some may come twice. */
  *#among(names: readonly string[] | null): Iterable<number> {
    if (names === null) yield* this.#classes.keys()
    else for (const name of names) yield* this.#with.get(name) ?? []
  }

  #make(key: string, traits: ClassTraits): number {
    const number = this.#unused.pop() ?? this.#classes.length
    this.#classes[number] = { ...traits, key, sets: 0, chunks: 0 }
    this.#numbers.set(key, number)
    for (const name of namesOf(traits)) {
      const among = this.#with.get(name)
      if (among === undefined) this.#with.set(name, new Set([number]))
      else among.add(number)
    }
    return number
  }
}

/** What a class is found by. */
function namesOf({ importerId, owners }: ClassTraits): readonly string[] {
  return [
    `importer ${importerId}`,
    ...owners.flatMap((owner) => {
      const principal = owner.slice(1)
      return owner.startsWith('+') ? [`sees ${principal}`, `owner ${principal}`] : [`owner ${principal}`]
    }),
  ]
}
