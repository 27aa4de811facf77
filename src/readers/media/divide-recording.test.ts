/** Recordings in parts: every sample once, each part a recording of its own. */
import { describe, expect, test } from 'bun:test'
import { mp3, wav } from '#test/support/documents/recordings.ts'
import { failureOfAction } from '#test/support/documents/read-office.ts'
import { divideRecording } from './divide-recording.ts'

const bytesOf = (file: Buffer, { start, end, head }: { start: number; end: number; head: string }): Buffer =>
  Buffer.concat([Buffer.from(head, 'base64'), file.subarray(start, end)])

describe('a WAV file', () => {
  test('is cut between samples; each part is a file of its own, and together they are the whole', () => {
    for (const seconds of [1, 3, 7]) {
      const file = wav(seconds)
      const parts = divideRecording(file, 'audio/wav', { bytesMax: 40_000, secondsMax: 1000 })
      const [whole] = divideRecording(file, 'audio/wav', { bytesMax: 1e9, secondsMax: 1000 })
      const data = parts.map((part) => {
        const own = bytesOf(file, part)
        expect(own.length).toBeLessThanOrEqual(40_000)
        const [again] = divideRecording(own, 'audio/wav', { bytesMax: 1e9, secondsMax: 1000 })
        return own.subarray(again?.start, again?.end)
      })
      expect(Buffer.concat(data).equals(file.subarray(whole?.start, whole?.end))).toBe(true)
      expect(data.every(({ length }) => length % 2 === 0)).toBe(true)
    }
  })

  test('is cut by time, and each part knows when it begins', () => {
    const parts = divideRecording(wav(5), 'audio/wav', { bytesMax: 1e9, secondsMax: 2 })
    expect(parts.map(({ startMs }) => startMs)).toEqual([0, 2000, 4000])
  })

  test('whose program was stopped has what is there', () => {
    const file = wav(1)
    file.writeUInt32LE(0xffffffff, 40)
    expect(divideRecording(file, 'audio/wav', { bytesMax: 1e9, secondsMax: 10 })).toHaveLength(1)
  })
})

describe('an MP3 file', () => {
  test('is cut between frames, without its tag, and together the parts are all frames', () => {
    for (const frames of [1, 10, 200]) {
      const file = mp3(frames, { tag: true })
      const parts = divideRecording(file, 'audio/mpeg', { bytesMax: 5000, secondsMax: 1000 })
      expect(parts.every(({ start, end }) => end - start <= 5000)).toBe(true)
      expect(Buffer.concat(parts.map((part) => bytesOf(file, part))).equals(mp3(frames))).toBe(true)
      for (const [at, { start, end }] of parts.entries()) {
        expect((end - start) % 417).toBe(0)
        expect(parts[at + 1]?.start ?? end).toBe(end)
      }
    }
  })

  test('is cut by time', () => {
    const parts = divideRecording(mp3(200), 'audio/mpeg', { bytesMax: 1e9, secondsMax: 2 })
    // 76 frames of 26.12 ms are the most that fit into two seconds.
    expect(parts.map(({ startMs }) => startMs)).toEqual([0, 1985, 3971])
  })

  test('with rubbish between frames is read on from the next one', () => {
    const file = Buffer.concat([mp3(3), Buffer.alloc(50, 0x55), mp3(3)])
    const [only] = divideRecording(file, 'audio/mpeg', { bytesMax: 1e9, secondsMax: 1000 })
    expect(only?.end).toBe(file.length)
  })
})

test('what is cut off anywhere is divided or damaged', () => {
  for (const [file, type] of [
    [wav(1), 'audio/wav'],
    [mp3(4, { tag: true }), 'audio/mpeg'],
  ] as const) {
    for (let length = 0; length < file.length; length += 37) {
      const divide = () => divideRecording(file.subarray(0, length), type, { bytesMax: 1000, secondsMax: 10 })
      expect(['read', 'damaged']).toContain(failureOfAction(divide))
    }
  }
})

test('other formats are sent whole or not at all', () => {
  const limits = { bytesMax: 100, secondsMax: 10 }
  expect(divideRecording(Buffer.alloc(100), 'audio/ogg', limits)).toEqual([
    { start: 0, end: 100, startMs: 0, head: '' },
  ])
  expect(failureOfAction(() => divideRecording(Buffer.alloc(101), 'video/mp4', limits))).toBe('too_complex')
})
