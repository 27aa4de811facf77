/** Arithmetic of vectors. Nothing here touches the page. */

export interface EmbeddedText {
  readonly text: string
  readonly vector: readonly number[]
}

/** The numbers of an embedding, which are a list or little-endian 32-bit floats in base64. */
export function vectorOf(embedding: readonly number[] | string): readonly number[] {
  if (typeof embedding !== 'string') return embedding.filter((each) => typeof each === 'number')
  try {
    const bytes = Uint8Array.from(atob(embedding), (character) => character.charCodeAt(0))
    const view = new DataView(bytes.buffer)
    return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => view.getFloat32(index * 4, true))
  } catch {
    return []
  }
}

/** The length of a vector. */
export function normOf(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0))
}

/** The cosine of the angle between two vectors, from -1 to 1; null when one has no direction, or their lengths differ. */
export function cosineOf(a: readonly number[], b: readonly number[]): number | null {
  const norms = normOf(a) * normOf(b)
  if (a.length !== b.length || norms === 0 || !Number.isFinite(norms)) return null
  const product = a.reduce((sum, each, index) => sum + each * (b[index] ?? 0), 0)
  return Math.max(-1, Math.min(1, product / norms))
}

/** The means of equal parts of a vector, up to a number of parts: its shape at a glance. */
export function shapeOf(vector: readonly number[], partsMax: number): readonly number[] {
  const parts = Math.min(partsMax, vector.length)
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * vector.length) / parts)
    const values = vector.slice(from, Math.max(from + 1, Math.floor(((part + 1) * vector.length) / parts)))
    return values.reduce((sum, each) => sum + each, 0) / values.length
  })
}
