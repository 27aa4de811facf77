/** Which character divides the cells of a table in plain text. */

const candidates = ['\t', ',', ';', '|'] as const
const linesLooked = 50

export type Delimiter = (typeof candidates)[number]

/** How often each candidate stands outside of quotes in each of the first records. */
function counts(text: string): readonly Readonly<Record<Delimiter, number>>[] {
  const records: Record<Delimiter, number>[] = []
  let record: Record<Delimiter, number> = { '\t': 0, ',': 0, ';': 0, '|': 0 }
  let isQuoted = false
  let isEmpty = true
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === '\n' && !isQuoted) {
      if (!isEmpty) records.push(record)
      if (records.length >= linesLooked) return records
      record = { '\t': 0, ',': 0, ';': 0, '|': 0 }
      isEmpty = true
      continue
    } else if (!isQuoted && (character === '\t' || character === ',' || character === ';' || character === '|')) {
      record[character] += 1
    }
    if (character !== '\r') isEmpty = false
  }
  // The last record may have been cut off by the sample.
  if (records.length === 0 && !isEmpty) records.push(record)
  return records
}

/** The delimiter of a text that is known to be a table: the one that divides most records alike; comma when in doubt. */
export function bestDelimiter(start: string): Delimiter {
  const records = counts(start)
  let best: Delimiter = ','
  let bestScore = 0
  for (const candidate of candidates) {
    const score = sameAsFirst(records, candidate)
    if (score > bestScore) {
      best = candidate
      bestScore = score
    }
  }
  return best
}

/** The delimiter if the text is without doubt a table: at least three records, all with the same number of cells; else null. */
export function likelyDelimiter(start: string): Delimiter | null {
  const records = counts(start)
  const best = bestDelimiter(start)
  const first = records[0]?.[best] ?? 0
  const isCertain = best === '\t' || first >= 2 || records.length >= 10
  return records.length >= 3 && first > 0 && isCertain && sameAsFirst(records, best) === records.length ? best : null
}

function sameAsFirst(records: readonly Readonly<Record<Delimiter, number>>[], candidate: Delimiter): number {
  const first = records[0]?.[candidate] ?? 0
  return first === 0 ? 0 : records.filter((record) => record[candidate] === first).length
}
