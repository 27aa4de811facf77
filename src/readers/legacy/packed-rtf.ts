/** Compressed RTF of Outlook. (MS-OXRTFCP 2024.) */

/** What the window holds before the first byte, 2.1.2.1. */
const prefill =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx'
const windowBytes = 4_096
const headBytes = 16
const [compressed, plain] = [0x75465a4c, 0x414c454d]

/** The RTF; null when the bytes are something else. At most `bytesMax` long, whatever its head says. */
export function unpackedRtf(packed: Buffer, bytesMax: number): Uint8Array | null {
  if (packed.length < headBytes) return null
  const kind = packed.readUInt32LE(8)
  if (kind === plain) return packed.subarray(headBytes)
  if (kind !== compressed) return null
  const size = Math.min(packed.readUInt32LE(4), bytesMax, 9 * packed.length)
  const window = Buffer.alloc(windowBytes)
  let write = window.write(prefill, 'latin1')
  const out = Buffer.alloc(size)
  let length = 0
  const put = (byte: number): void => {
    window[write] = byte
    write = (write + 1) % windowBytes
    if (length < size) out[length] = byte
    length += 1
  }
  for (let at = headBytes; at < packed.length && length < size;) {
    const flags = packed[at] ?? 0
    at += 1
    for (let bit = 0; bit < 8 && at < packed.length && length < size; bit += 1) {
      if ((flags & (1 << bit)) === 0) {
        put(packed[at] ?? 0)
        at += 1
        continue
      }
      if (at + 2 > packed.length) break
      const reference = packed.readUInt16BE(at)
      at += 2
      let from = reference >> 4
      if (from === write) return out.subarray(0, length)
      for (let left = (reference & 15) + 2; left > 0; left -= 1) {
        put(window[from] ?? 0)
        from = (from + 1) % windowBytes
      }
    }
  }
  return out.subarray(0, Math.min(length, size))
}
