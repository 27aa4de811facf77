/**
 * Families of inputs that are meant to cost a server more than they cost their sender. A family makes
 * the same input at any size, so that work which grows faster than its input shows.
 */
import { deflateRawSync } from 'node:zlib'
import type { HostileRequest } from './measured-server.ts'

export interface Family {
  readonly name: string
  /** The largest size at which it is sent, bytes; the smaller ones are halves of it. */
  readonly bytesMax: number
  /** The request of about this many bytes. */
  readonly make: (bytes: number) => HostileRequest
}

type Address = Pick<HostileRequest, 'method' | 'path'>

const mebibyte = 1024 * 1024

/** JSON texts that are hard for some parser, checker or search. `known` are fields that the endpoint reads. */
const jsonTexts: Readonly<Record<string, (bytes: number, known: string) => string>> = {
  'brackets in brackets': (bytes, known) => `{${known},"x":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  'brackets that never close': (bytes, known) => `{${known},"x":${'{"a":'.repeat(bytes / 5)}`,
  'many fields': (bytes, known) =>
    `{${Array.from({ length: bytes / 12 }, (_, at) => `"f${at}":${at}`).join(',')},${known}}`,
  'one name many times': (bytes, known) => `{${known}${',"x":1'.repeat(bytes / 6)}}`,
  'a long list': (bytes, known) => `{${known},"x":[${'1,'.repeat(bytes / 2)}1]}`,
  'a long number': (bytes, known) => `{${known},"x":1${'0'.repeat(bytes)}}`,
  'a long text of escapes': (bytes, known) => String.raw`{${known},"x":"${'\\\\'.repeat(bytes / 4)}"}`,
  'a long text of quotes in quotes': (bytes, known) => String.raw`{${known},"x":"${'\\"'.repeat(bytes / 2)}"}`,
  'a text that never ends': (bytes, known) => String.raw`{${known},"x":"${'\\'.repeat(bytes)}`,
  'white space': (bytes, known) => `{${' \n\t'.repeat(bytes / 3)}${known}}`,
  'white space behind it': (bytes, known) => `{${known}}${' '.repeat(bytes)}!`,
}

/** Families for an endpoint that takes JSON; `fields` make a small request of it valid or nearly so. */
export function jsonFamilies(address: Address, fields: object = {}): readonly Family[] {
  const known = JSON.stringify(fields).slice(1, -1) || '"a":1'
  return Object.entries(jsonTexts).map(([name, text]) =>
    jsonFamily(address, name, (bytes) => text(Math.floor(bytes), known)),
  )
}

/** One family of JSON bodies. */
export function jsonFamily(
  { method, path }: Address,
  name: string,
  text: (bytes: number) => string,
  bytesMax = mebibyte,
): Family {
  const headers = { 'content-type': 'application/json' }
  return { name, bytesMax, make: (bytes) => ({ method, path, headers, body: Buffer.from(text(bytes)) }) }
}

const boundary = 'hostile'

/** Families for an endpoint that takes a form. */
export function formFamilies({ method, path }: Address): readonly Family[] {
  const part = (head: string, body: string): string => `--${boundary}\r\n${head}\r\n\r\n${body}\r\n`
  const disposition = 'content-disposition: form-data; name="x"'
  const texts: Readonly<Record<string, (bytes: number) => string>> = {
    'many parts': (bytes) => part(disposition, '1').repeat(bytes / 64),
    'spaces in the head of a part': (bytes) => part(`content-disposition: form-data;${' '.repeat(bytes)}name="x"`, '1'),
    'semicolons in the head of a part': (bytes) =>
      part(`content-disposition: form-data${';'.repeat(bytes)}name="x"`, '1'),
    'quotes in the head of a part': (bytes) =>
      part(`content-disposition: form-data; name="${String.raw`\"`.repeat(bytes / 2)}`, '1'),
    'many lines in the head of a part': (bytes) => part(`${'a: b\r\n'.repeat(bytes / 6)}${disposition}`, '1'),
    'beginnings of the boundary': (bytes) => part(disposition, `\r\n--${boundary.slice(0, -1)}`.repeat(bytes / 11)),
    hyphens: (bytes) => part(disposition, '-'.repeat(bytes)),
    'a form that never ends': (bytes) => part(disposition, 'x'.repeat(bytes)),
  }
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  return Object.entries(texts).map(([name, text]) => ({
    name,
    bytesMax: mebibyte,
    make: (bytes) => ({ method, path, headers, body: Buffer.from(`${text(Math.floor(bytes))}--${boundary}--\r\n`) }),
  }))
}

/** Families for any address: what stands in its path, its query and its headers. Heads are limited by the server to some kilobytes. */
export function headFamilies({ method, path }: Address): readonly Family[] {
  const bytesMax = 8 * 1024
  const request = (name: string, make: (bytes: number) => Partial<HostileRequest>): Family => ({
    name,
    bytesMax,
    make: (bytes) => ({ method, path, ...make(Math.floor(bytes)) }),
  })
  return [
    request('many parameters', (bytes) => ({ path: `${path}?${'a=1&'.repeat(bytes / 4)}` })),
    request('commas in every parameter', (bytes) => {
      const value = ','.repeat(bytes / 4)
      return { path: `${path}?limit=${value}&cursor=${value}&group=${value}&name=${value}` }
    }),
    request('percent signs in the path', (bytes) => ({ path: `${path}/${'%25'.repeat(bytes / 3)}` })),
    request('slashes in the path', (bytes) => ({ path: `${path}${'/'.repeat(bytes)}` })),
    request('a long list in headers', (bytes) => {
      const value = 'a;q=1,'.repeat(bytes / 24)
      return {
        headers: { accept: value, cookie: value.replaceAll(',', ';'), forwarded: value, 'x-forwarded-for': value },
      }
    }),
  ]
}

/** An archive of many entries that all share one local header with the longest name there can be. */
function overlapping(bytes: number): Buffer {
  const nameBytes = 65_535
  const local = Buffer.alloc(30 + nameBytes, 'n')
  local.writeUInt32LE(0x04034b50, 0)
  local.fill(0, 4, 26)
  local.writeUInt16LE(nameBytes, 26)
  local.writeUInt16LE(0, 28)
  const entry = Buffer.alloc(47)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(1, 28)
  entry.write('a', 46)
  const count = Math.max(1, Math.floor((bytes - local.length) / entry.length))
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, 65_535), 8)
  end.writeUInt16LE(Math.min(count, 65_535), 10)
  end.writeUInt32LE(count * entry.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, Buffer.alloc(count * entry.length, entry), end])
}

/** Contents of files that are hard to tell the type of, to unpack or to read. */
export const fileContents: Readonly<Record<string, (bytes: number) => Uint8Array>> = {
  'headings without line feeds': (bytes) => Buffer.from('# a\r'.repeat(bytes / 4)),
  'a list that is hardly JSON': (bytes) => Buffer.from(`[${'1,'.repeat(bytes / 2)}`),
  brackets: (bytes) => Buffer.from('['.repeat(bytes)),
  'tags that never close': (bytes) => Buffer.from(`<!doctype html>${'<a '.repeat(bytes / 3)}`),
  'lines of separators': (bytes) => Buffer.from(`${','.repeat(50)}\n`.repeat(bytes / 51)),
  'mail headers that go on': (bytes) => Buffer.from(`From: a\r\n${' x\r\n'.repeat(bytes / 4)}`),
  'empty chunks of a picture': (bytes) =>
    Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      Buffer.from('0000000069545874deadbeef'.repeat(bytes / 12), 'hex'),
    ]),
  'entries of an archive': (bytes) => overlapping(bytes),
  'groups of a rich text': (bytes) => Buffer.from(`{\\rtf1${'{'.repeat(bytes)}`),
  'Chinese without an encoding': (bytes) => Buffer.from('\xc4\xe3\xba\xc3'.repeat(bytes / 4), 'latin1'),
  'nothing but zeros, packed': (bytes) => deflateRawSync(Buffer.alloc(bytes)),
}

const batchLine = (customId: string, input: unknown): string =>
  JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/embeddings', body: { model: 'demo-embed', input } })

/** Input files of batches that are long to look through. */
export const batchFiles: Readonly<Record<string, (bytes: number) => string>> = {
  'empty lines': (bytes) => '\n'.repeat(bytes),
  'lines of one space': (bytes) => ' \n'.repeat(bytes / 2),
  'lines of spaces': (bytes) => `${' '.repeat(1000)}\n`.repeat(bytes / 1001),
  'lines that are no request': (bytes) => '{}\n'.repeat(bytes / 3),
  'requests of one id': (bytes) => `${batchLine('a', 'a')}\n`.repeat(bytes / 100),
  'requests, the last of which is wrong': (bytes) =>
    `${Array.from({ length: bytes / 100 }, (_, at) => batchLine(String(at), 'a')).join('\n')}\n{}`,
  'one line of one text': (bytes) => batchLine('a', 'a'.repeat(bytes)),
  'one line of many lists': (bytes) =>
    batchLine(
      'a',
      Array.from({ length: bytes / 4 }, () => [1]),
    ),
  'one line of brackets': (bytes) => '['.repeat(bytes),
}
