/** Small recordings for tests: silence as WAV, and frames of MP3 without sound. */

const samplesPerSecond = 8000

/** Silence with counted samples, 16 bits, one channel. */
export function wav(seconds: number): Buffer {
  const data = Buffer.alloc(seconds * samplesPerSecond * 2)
  for (let at = 0; at < data.length; at += 2) data.writeUInt16LE((at / 2) & 0xffff, at)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(samplesPerSecond, 24)
  head.writeUInt32LE(samplesPerSecond * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}

/** Frames of 417 bytes: version 1, layer III, 128 kbit/s, 44.1 kHz. */
export function mp3(frames: number, { tag = false }: { readonly tag?: boolean } = {}): Buffer {
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x00])
  const head = tag
    ? Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\x01\x00', 'latin1'), Buffer.alloc(128, 0xff)])
    : Buffer.alloc(0)
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame)])
}
