import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { writeCompound } from '#test/support/documents/compound-writer.ts'
import { zip } from '#test/support/documents/zip-writer.ts'
import { detectMediaType, isPicture } from './media-type.ts'
import { ReadFailure } from '../reading.ts'

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** A ZIP archive of empty entries; `content` only of the first one. */
function zipOf(names: readonly string[], content = '', hasDirectory = true): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [index, name] of names.entries()) {
    const body = index === 0 ? latin1(content) : latin1('')
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt32LE(body.length, 18)
    local.writeUInt32LE(body.length, 22)
    local.writeUInt16LE(name.length, 26)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(name.length, 28)
    central.writeUInt32LE(at, 42)
    parts.push(local, latin1(name), body)
    directory.push(central, latin1(name))
    at += 30 + name.length + body.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt32LE(at, 16)
  return Buffer.concat(hasDirectory ? [...parts, ...directory, end] : parts)
}
function openXml(folder: string): Buffer {
  return zipOf(['[Content_Types].xml', '_rels/.rels', `${folder}/main.xml`])
}
const office = 'application/vnd.openxmlformats-officedocument.'
const odt = 'application/vnd.oasis.opendocument.text'
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

describe('the content decides', () => {
  test.each<[string, Uint8Array, string]>([
    ['x.txt', latin1('%PDF-1.7\n'), 'application/pdf'],
    ['x', latin1('junk before\n%PDF-1.4'), 'application/pdf'],
    ['x.txt', latin1('{\\rtf1\\ansi'), 'application/rtf'],
    ['x.pdf', openXml('word'), `${office}wordprocessingml.document`],
    ['x', openXml('xl'), `${office}spreadsheetml.sheet`],
    ['x', openXml('ppt'), `${office}presentationml.presentation`],
    ['x', zipOf(['[Content_Types].xml', 'word/document.xml'], '', false), `${office}wordprocessingml.document`],
    ['x.zip', zipOf(['mimetype'], 'application/epub+zip'), 'application/epub+zip'],
    ['x', zipOf(['META-INF/container.xml', 'content.opf']), 'application/epub+zip'],
    ['x', zipOf(['mimetype'], 'application/vnd.oasis.opendocument.text'), 'application/vnd.oasis.opendocument.text'],
    [
      'x',
      zipOf(['mimetype'], 'application/vnd.oasis.opendocument.spreadsheet-template'),
      'application/vnd.oasis.opendocument.spreadsheet',
    ],
    ['x', latin1('\x1f\x8b\x08'), 'application/gzip'],
    ['x', Buffer.concat([Buffer.alloc(257, 'a'), latin1('ustar\0')]), 'application/x-tar'],
    ['x', zipOf(['a.txt', 'b/word/c.txt']), 'application/zip'],
    [
      'x',
      zip([
        { name: 'content.xml', content: 'x' },
        { name: 'mimetype', content: odt },
      ]),
      odt,
    ],
    ['x', writeCompound({ WordDocument: Buffer.from('x') }), 'application/msword'],
    ['x', writeCompound({ 'a/Workbook': Buffer.from('x'), Book: Buffer.from('x') }), 'application/vnd.ms-excel'],
    ['x', latin1('From a\nFrom: a\nTo: b\nSubject: c\n\nd\n\nFrom b\n'), 'application/mbox'],
    ['x.txt', png, 'image/png'],
    ['x', latin1('\xff\xd8\xff\xe0'), 'image/jpeg'],
    ['x', latin1('BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0'), 'image/bmp'],
    ['x.txt', latin1('<!DOCTYPE html>\n<p>a'), 'text/html'],
    ['x', latin1('<!-- saved --> <html lang=de>'), 'text/html'],
    ['x', latin1('<?xml version="1.0"?><html xmlns="x">'), 'application/xhtml+xml'],
    ['x', latin1('<?xml version="1.0"?><feed/>'), 'application/xml'],
    ['x', latin1('<div class="a">text</div>'), 'text/html'],
    ['x', latin1('From: a@b.c\r\nTo: d@e.f\r\nSubject: hello\r\n\r\nText'), 'message/rfc822'],
    [
      'x',
      latin1('Received: from a\r\n by b\r\nX-Own: 1\r\nDate: today\r\nMIME-Version: 1.0\r\n\r\n'),
      'message/rfc822',
    ],
    ['x', latin1('{"a": [1, 2]}'), 'application/json'],
    ['x', latin1('{"a": 1}\n{"a": 2}\n{"a": 3}\n'), 'application/jsonl'],
    ['x', latin1('a,b,c\n1,2,3\n4,"5, 6",7\n'), 'text/csv'],
    ['x', latin1('a\tb\n1\t2\n3\t4\n'), 'text/tab-separated-values'],
    ['x', latin1('# Title\n\n- item\n'), 'text/markdown'],
    ['x', latin1('Just words, and more.\nAnd others, too.\nAnd, so, on.'), 'text/plain'],
    ['x', latin1('[see below] not JSON'), 'text/plain'],
    ['x', Buffer.from('\ufeffwords in UTF-16', 'utf16le'), 'text/plain'],
    ['x', Buffer.from('<html><body>UTF-16', 'utf16le'), 'text/html'],
    ['x', zipOf(['Index/Document.iwa', 'Metadata/Properties.plist']), 'application/vnd.apple.iwork'],
    ['x', latin1('ID3\x03\0\0'), 'audio/mpeg'],
    ['x', latin1('\xff\xfb\x90\0'), 'audio/mpeg'],
    ['x', latin1('RIFF\x24\0\0\0WAVEfmt '), 'audio/wav'],
    ['x', latin1('\0\0\0\x18ftypM4A '), 'audio/mp4'],
    ['x', latin1('\0\0\0\x18ftypmp42'), 'video/mp4'],
    ['x', latin1('OggS\0\x02'), 'audio/ogg'],
    ['x', latin1('\x1a\x45\xdf\xa3'), 'video/webm'],
    ['x', latin1('BMW builds cars and engines.'), 'text/plain'],
    ['x', latin1('MZ is how this text begins.'), 'text/plain'],
  ])('%s %#', (name, content, type) => {
    expect(detectMediaType(content, name)).toBe(type)
  })
})

describe('the name tells apart what looks alike', () => {
  test.each<[string, string, string]>([
    ['a.md', '<div align="center">logo</div>\n\n# Title', 'text/markdown'],
    ['a.csv', 'only;one;line', 'text/csv'],
    ['A.TSV', 'a\tb', 'text/tab-separated-values'],
    ['a.py', '# comment\n- x', 'text/x-python'],
    ['a.vue', '<template></template>', 'text/x-typescript'],
    ['a.yaml', 'Date: x\nFrom: y', 'application/yaml'],
    ['a.json', '{"cut": ', 'application/json'],
    ['a.txt', 'a,b,c\n1,2,3\n4,5,6\n', 'text/plain'],
    ['a.eml', 'Subject: only\n\ntext', 'message/rfc822'],
    ['a.htm', 'text <b>only</b>', 'text/html'],
  ])('%s', (name, content, type) => {
    expect(detectMediaType(Buffer.from(content), name)).toBe(type)
  })
})

function failure(content: Uint8Array, name = 'x'): ReadFailure {
  try {
    detectMediaType(content, name)
  } catch (thrown) {
    if (thrown instanceof ReadFailure) return thrown
    throw thrown
  }
  throw new Error('The file was taken.')
}

describe('what no reader takes is refused with what to do instead', () => {
  test.each<[string, Buffer, string]>([
    ['another compound file', writeCompound({ Contents: Buffer.from('x') }), '.docx'],
    ['RAR', latin1('Rar!\x1a\x07'), 'one by one'],
    ['a binary workbook', zipOf(['[Content_Types].xml', 'xl/workbook.bin']), '.xlsx'],
    ['AVI', latin1('RIFF\0\0\0\0AVI LIST'), 'MP4'],
    ['HEIC', latin1('\0\0\0\x18ftypheic'), 'JPEG'],
    ['a program', latin1('\x7fELF\x02\x01\x01\0'), 'program'],
    ['a program of Windows', latin1('MZ\x90\0\x03\0\0\0'), 'program'],
    ['other binary data', Buffer.from(Array.from({ length: 2_000 }, (_, at) => (at * 7) % 256)), 'binary'],
  ])('%s', (_, content, remedy) => {
    expect(failure(content).code).toBe('unsupported_type')
    expect(failure(content).message).toContain(remedy)
  })

  test('a protected Office file is encrypted, an empty one holds no text', () => {
    expect(failure(writeCompound({ EncryptedPackage: Buffer.from('x') })).code).toBe('encrypted')
    expect(failure(Buffer.alloc(0)).code).toBe('no_text')
  })
})

test('a drawing that is written as text is read as that, unlike pictures', () => {
  expect(isPicture(detectMediaType(latin1('<svg><text>a</text></svg>'), 'a.svg'))).toBe(false)
  expect(isPicture(detectMediaType(png, 'a.png'))).toBe(true)
})

test('any bytes and any name give a type or a ReadFailure', () => {
  const start = fc.constantFrom(
    '',
    'PK\x03\x04',
    'PK\x05\x06',
    'BM',
    '\0\0\0\x18ftyp',
    'RIFF',
    '{"',
    'a,b\n',
    '<?xml',
    'From: a\n',
  )
  fc.assert(
    fc.property(
      start,
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('', 'a.json', 'a.csv', 'a.eml', 'a.html'),
      (prefix, rest, name) => {
        const content = Buffer.concat([latin1(prefix), rest])
        try {
          expect(detectMediaType(content, name)).toContain('/')
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ReadFailure)
        }
      },
    ),
    { numRuns: 500 },
  )
})
