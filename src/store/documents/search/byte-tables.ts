/** Scalar products of a vector with many codes of signs, a byte of a code at a time. */

/** For each byte of a code and each value of it: the sum of the vector's values, with the signs of its bits. */
export function byteTables(rotated: Float32Array): Float32Array {
  const bytes = rotated.length / 8
  const tables = new Float32Array(bytes * 256)
  for (let byte = 0; byte < bytes; byte += 1) {
    const values = rotated.subarray(byte * 8, byte * 8 + 8)
    const table = tables.subarray(byte * 256, byte * 256 + 256)
    table[0] = -values.reduce((sum, value) => sum + value, 0)
    for (let bits = 1; bits < 256; bits += 1) {
      // As the value without its lowest bit, with that bit's sign turned.
      const lowest = 31 - Math.clz32(bits & -bits)
      table[bits] = (table[bits & (bits - 1)] ?? 0) + 2 * (values[lowest] ?? 0)
    }
  }
  return tables
}

/** The scalar product of the vector with the code of `length` bytes at this place. */
export function tableProduct(tables: Float32Array, codes: Uint8Array, from: number, length: number): number {
  let product = 0
  for (let byte = 0; byte < length; byte += 1) product += tables[byte * 256 + (codes[from + byte] ?? 0)] ?? 0
  return product
}
