/** 7z archives: those that the reference implementation packed, and those that the tests write. */
import { describe, expect, test } from 'bun:test'
import { failureOf, failureOfAction } from '#test/support/documents/read-office.ts'
import { sevenZip } from '#test/support/documents/seven-zip-writer.ts'
import { zip } from '#test/support/documents/zip-writer.ts'
import { readFile } from '../readers.ts'
import type { Reading } from '../reading.ts'
import { sevenZipFiles } from './seven-zip.ts'

/** Two files in one block, packed by liblzma with LZMA2 and with LZMA, and one with a password. */
const lzma2 =
  'N3q8ryccAAQy4eRfFQEAAAAAAAAVAAAAAAAAAKtmNpHgB7UAm10AKhoIogMlZvFLeMWiBf8u5tnSIBqtNPjiHehBNvrcBmm7POQQNCcJ67Nm4+' +
  '03mO2SrdUnRQgauYPDabVjLl5Gda5dTZBMeqHRjySzp4fPAY28Q2gQIA4URT0fpuxXmvaVpvkV/hU3RMjyyYUfOHT+9YSzDaA+4GsrJv0VS41Q' +
  'BnObu4Lq3sqPCjz92jyTSnEekGnmYgZMQS7QMDIA4AByAGpdAACBMweuD9Uwbf3XJNP+s3AWsYaJA9YUIFWjUDrQnyE0KSSF6bRU/1ggARat3A' +
  'vS8/LXGVyjUtEN1n/b6Evf6lYH/Hrf3UuS2kXP29wuyUuNs4LyNwfu/ZJKotT9hObraVnidVxXx4oAAAAAFwaAowEJcgAHCwEAASEhARgMcwAA'
const lzma =
  'N3q8ryccAAS0vqstFAEAAAAAAAAVAAAAAAAAAErQZH4AKhoIogMlZvFLeMWiBf8u5tnSIBqtNPjiHehBNvrcBmm7POQQNCcJ67Nm4+03mO2Srd' +
  'UnRQgauYPDabVjLl5Gda5dTZBMeqHRjySzp4fPAY28Q2gQIA4URT0fpuxXmvaVpvkV/hU3RMjyyYUfOHT+9YSzDaA+4GsrJv0VS41QBnObu4Lq' +
  '3sqPCjz92jyTSnEekGnmYgZMQTK7tEv//21QAADgAHIAal0AAIEzB64P1TBoUZck0/6zfi+Jkr6+PNqYZWc5AcdCQ3XuTIvRixytMP3jnp7v40' +
  'QRJjMIvPeN2TBLWCmeVdPq4VahP/JRlKpZeYDcHZ4ygcsi4jtySVRcQQRbeAW255LtQO33TAiDJaAAAAAXBoCiAQlyAAcLAQABISEBGAxzAAA='
const locked =
  'N3q8ryccAARFmI7BeQAAAAAAAAAUAAAAAAAAAIHWvcrE6ELKJCd8kTOJtdJvDXjNAQBkAQQGAAEJEAoByKENTQAHCwEAAiQG8QcBElMPTylY3l' +
  'ge1BAbd8QNnncnVSEhARgBAAwKBgAICgHl6KJcAAAFARENAHMALgB0AHgAdAAAABQKAQDwSGBxGHzdARUGAQAggICBAAAAFwYQAQlpAAcLAQAB' +
  'ISEBGAxlAAA='

const fox =
  'The quick brown fox jumps over the lazy dog. '.repeat(30) +
  'Words with quotes and numbers 0123456789. '.repeat(5) +
  Array.from({ length: 400 }, (_, i) => String.fromCharCode(33 + ((i * i * 7 + i * 13) % 90))).join('')
const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64')
const limits = { textMax: 100_000, pagesMax: 100, unpackedBytesMax: 1_000_000 }
const read = (bytes: Uint8Array, changed: Partial<typeof limits> = {}): Promise<Reading> =>
  readFile({ bytes, name: 'a.7z', reader: 'auto', limits: { ...limits, ...changed } })

describe('files packed', () => {
  test.each([
    ['LZMA2', lzma2],
    ['LZMA', lzma],
  ])('with %s are what was packed', (_, archive) => {
    const files = sevenZipFiles(bytesOf(archive), 1e6)
    expect(files.map(({ name }) => name)).toEqual(['a/fox.txt', 'b.md'])
    expect(files.map(({ bytes }) => Buffer.from(bytes()).toString())).toEqual([fox, '# Second\n\nfile'])
  })

  test('are pages with their names, in one document, empty ones and folders left out', async () => {
    const archive = sevenZip([
      { name: 'one.txt', content: 'First file.' },
      { name: 'folder', content: null },
      { name: 'folder/none.txt', content: '' },
      { name: '../../etc/passwd', content: 'Only a label.' },
    ])
    const { text, pages, mediaType } = await read(archive)
    expect(mediaType).toBe('application/x-7z-compressed')
    expect(text).toBe('First file.\n\nOnly a label.')
    expect(pages.map(({ label }) => label)).toEqual(['one.txt', '../../etc/passwd'])
  })

  test('in other archives are read up to three deep', async () => {
    let inner: Uint8Array = sevenZip([{ name: 'in.txt', content: 'Deep inside.' }])
    for (let depth = 2; depth <= 3; depth += 1) inner = sevenZip([{ name: `${depth}.7z`, content: inner }])
    expect((await read(inner)).text).toBe('Deep inside.')
    expect((await read(zip([{ name: 'x.7z', content: Buffer.from(bytesOf(lzma2)) }]))).text).toContain(
      'quick brown fox',
    )
    expect(await failureOf(read(sevenZip([{ name: '4.7z', content: inner }])))).toBe('no_text')
  })
})

describe('archives that are not what they should be', () => {
  test('with a password say so', async () => {
    const reading = read(bytesOf(locked))
    expect(await failureOf(reading)).toBe('no_text')
    expect(String(await reading.catch((error: unknown) => error))).toContain('password')
  })

  test('packed in a way that is not read name the remedy', async () => {
    const reading = read(sevenZip([{ name: 'a.txt', content: 'x' }], { method: '040202' }))
    expect(String(await reading.catch((error: unknown) => error))).toContain('LZMA2')
  })

  test('that say that they unpack to more than is allowed are refused before anything is unpacked', async () => {
    expect(await failureOf(read(bytesOf(lzma2), { unpackedBytesMax: 1000 }))).toBe('too_complex')
    const lies = sevenZip([{ name: 'a.txt', content: 'x' }], { method: '21', unpackedBytes: 2 ** 50 })
    expect(await failureOf(read(lies))).toBe('too_complex')
  })

  test('cut off anywhere are damaged', () => {
    for (const archive of [bytesOf(lzma2), bytesOf(lzma)]) {
      for (let length = 32; length < archive.length; length += 1) {
        expect(failureOfAction(() => sevenZipFiles(archive.subarray(0, length), 1e6))).toBe('damaged')
      }
    }
  })

  test('with any changed byte of the packed files are damaged, and never anything else', () => {
    for (const archive of [bytesOf(lzma2), bytesOf(lzma)]) {
      for (let at = 32; at < archive.length; at += 1) {
        const changed = Buffer.from(archive)
        changed[at] = (changed[at] ?? 0) ^ 0x41
        const all = (): void => {
          for (const { bytes } of sevenZipFiles(changed, 1e6)) bytes()
        }
        expect(['damaged', 'too_complex', 'unsupported_type', 'read']).toContain(failureOfAction(all))
      }
    }
  })

  test('whose database is changed anywhere are read or refused', () => {
    const archive = sevenZip([
      { name: 'one.txt', content: 'First file.' },
      { name: 'two.txt', content: 'Second file.' },
    ])
    for (let at = 32; at < archive.length; at += 1) {
      for (const value of [0, 0xff, 0x80, 0x7f]) {
        const changed = sevenZip.withChecksums(archive, at, value)
        const all = (): void => {
          for (const { bytes } of sevenZipFiles(changed, 1e6)) bytes()
        }
        expect(['damaged', 'too_complex', 'unsupported_type', 'read']).toContain(failureOfAction(all))
      }
    }
  })
})
