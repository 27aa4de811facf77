import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AnswerParser } from './answer-parser.ts'

const headBytesMax = 1024

interface Parsed {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly ended: boolean
  readonly excess: boolean
}

/** What the parser makes of these pieces; each is a copy, because bodies are decoded in place. */
function parse(pieces: readonly (Uint8Array | string)[], bodiless = false): Parsed {
  const parser = new AnswerParser(headBytesMax, bodiless)
  const body = pieces.map((piece) => Buffer.from(parser.push(Buffer.from(piece)) ?? []).toString('latin1'))
  return {
    status: parser.head?.status,
    headers: { ...parser.head?.headers },
    body: body.join(''),
    ended: parser.ended,
    excess: parser.excess,
  }
}

const lengthAnswer = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nhello\r\n0\r\n\r'
const chunkedAnswer =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '5;name=value;q="a b"\r\nhello\r\n00A ; x\r\n, world!\r\n\r\n0;last\r\nX-Sum: 1\r\nX-Empty:\r\n\r\n'
const interimAnswer =
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 Not Found\r\nX-A:\t1 \r\nx-a:2\r\nContent-Length: 2\r\n\r\nno'
const untilCloseAnswer = 'HTTP/1.0 200\r\nServer:\r\n\r\nall there is'
const answers = { lengthAnswer, chunkedAnswer, interimAnswer, untilCloseAnswer }

describe('an answer', () => {
  test('with a content-length has exactly that many bytes', () => {
    const { status, headers, body, ended, excess } = parse([lengthAnswer])
    expect({ status, headers, body }).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain', 'content-length': '11' },
      body: 'hello\r\n0\r\n\r',
    })
    expect([ended, excess]).toEqual([true, false])
  })

  test('in chunks loses their sizes, extensions and trailers', () => {
    const { body, ended, excess } = parse([chunkedAnswer])
    expect(body).toBe('hello, world!\r\n')
    expect([ended, excess]).toEqual([true, false])
  })

  test('comes without the interim answers before it, repeated fields joined', () => {
    const { status, headers, body, ended } = parse([interimAnswer])
    expect({ status, headers, body, ended }).toEqual({
      status: 404,
      headers: { 'x-a': '1, 2', 'content-length': '2' },
      body: 'no',
      ended: true,
    })
  })

  test('without a framing ends with the connection', () => {
    const parser = new AnswerParser(headBytesMax, false)
    expect(Buffer.from(parser.push(Buffer.from(untilCloseAnswer)) ?? []).toString()).toBe('all there is')
    expect([parser.ended, parser.end(), parser.ended]).toEqual([false, true, true])
  })

  for (const [name, answer] of Object.entries(answers)) {
    test(`is the same at every split in two and byte by byte: ${name}`, () => {
      const whole = parse([answer])
      for (let cut = 1; cut < answer.length; cut++)
        expect(parse([answer.slice(0, cut), answer.slice(cut)])).toEqual(whole)
      expect(parse(answer.split(''))).toEqual(whole)
    })
  }

  test('is the same however a body was chunked and the bytes were split', () => {
    const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 8 })
    const cuts = fc.array(fc.nat(4000), { maxLength: 12 })
    fc.assert(
      fc.property(bodies, cuts, (chunks, offsets) => {
        const parts: Uint8Array[] = [Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n')]
        for (const chunk of chunks)
          parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
        const bytes = Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
        const ends = [...offsets.map((offset) => offset % bytes.length).toSorted((a, b) => a - b), bytes.length]
        const parsed = parse(ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)))
        expect(parsed.body).toBe(Buffer.concat(chunks).toString('latin1'))
        expect([parsed.ended, parsed.excess]).toEqual([true, false])
      }),
    )
  })

  test('has one part for each read, however many chunks that held', () => {
    const parser = new AnswerParser(headBytesMax, false)
    parser.push(Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'))
    expect(Buffer.from(parser.push(Buffer.from('1\r\na\r\n2\r\nbc\r\n3\r\nde')) ?? []).toString()).toBe('abcde')
    expect(parser.push(Buffer.from('f\r'))).toEqual(Buffer.from('f'))
    expect(parser.push(Buffer.from('\n0\r\n'))).toBeNull()
  })

  test('has no body after HEAD, with 204 or with 304, whatever its head says', () => {
    const framed = (status: number): string => `HTTP/1.1 ${status} X\r\ncontent-length: 5\r\n\r\n`
    expect(parse([framed(200)], true).ended).toBe(true)
    expect(parse([framed(204)]).ended).toBe(true)
    expect(parse([framed(304)]).ended).toBe(true)
    expect(parse(['HTTP/1.1 304 X\r\ntransfer-encoding: chunked\r\n\r\n']).ended).toBe(true)
    expect(parse([framed(200)]).ended).toBe(false)
  })

  test('is the same for a parser that has read others before', () => {
    const readAll = (parser: AnswerParser, answer: string): object => {
      const body = Buffer.from(parser.push(Buffer.from(answer)) ?? []).toString('latin1')
      return { head: parser.head, body, ended: parser.ended, excess: parser.excess }
    }
    const any = fc.constantFrom(...Object.values(answers), 'HTTP/1.1 204 No Content\r\n\r\n', `${lengthAnswer}H`)
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 5 }), fc.boolean(), (before, bodiless) => {
        const used = new AnswerParser(headBytesMax, !bodiless)
        for (const answer of before) readAll(used.reset(false), answer)
        for (const answer of Object.values(answers))
          expect(readAll(used.reset(bodiless), answer)).toEqual(
            readAll(new AnswerParser(headBytesMax, bodiless), answer),
          )
      }),
    )
  })

  test('that ends early is not complete', () => {
    for (const cut of [
      'HTTP/1.1 2',
      lengthAnswer.slice(0, -1),
      chunkedAnswer.slice(0, -1),
      chunkedAnswer.slice(0, 60),
    ]) {
      const parser = new AnswerParser(headBytesMax, false)
      parser.push(Buffer.from(cut))
      expect(parser.end()).toBe(false)
    }
  })

  test('followed by more bytes is recognised', () => {
    for (const answer of [lengthAnswer, chunkedAnswer, interimAnswer]) {
      const whole = parse([answer])
      expect(parse([`${answer}H`])).toEqual({ ...whole, excess: true })
      expect(parse([answer, 'H'])).toEqual({ ...whole, excess: true })
    }
    expect(parse(['HTTP/1.1 204 No Content\r\n\r\nX']).excess).toBe(true)
  })

  test('may say the same content-length twice', () => {
    expect(parse(['HTTP/1.1 200 OK\r\ncontent-length: 2\r\nContent-Length: 2\r\n\r\nok']).body).toBe('ok')
    expect(parse(['HTTP/1.1 200 OK\r\ncontent-length: 2 ,2\r\n\r\nok']).ended).toBe(true)
  })

  test('may use names that every object has', () => {
    const { headers } = parse(['HTTP/1.1 200 OK\r\nconstructor: a\r\ntoString: b\r\n\r\n'])
    expect(Object.entries(headers)).toEqual([
      ['constructor', 'a'],
      ['tostring', 'b'],
    ])
  })
})

describe('whether the connection is kept', () => {
  const kept = (head: string): boolean | undefined => {
    const parser = new AnswerParser(headBytesMax, false)
    parser.push(Buffer.from(`${head}\r\n\r\n`))
    return parser.head?.persistent
  }

  test('follows from the version, unless the server says otherwise', () => {
    expect(kept('HTTP/1.1 200 OK\r\ncontent-length: 0')).toBe(true)
    expect(kept('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nConnection: X-Hop, Close')).toBe(false)
    expect(kept('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nConnection: closed')).toBe(true)
    expect(kept('HTTP/1.0 200 OK\r\ncontent-length: 0')).toBe(false)
    expect(kept('HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: Keep-Alive')).toBe(true)
    expect(kept('HTTP/1.1 200 OK')).toBe(false)
  })

  test('and for how long, is read from keep-alive', () => {
    const keepSeconds = (value: string): number | null | undefined => {
      const parser = new AnswerParser(headBytesMax, false)
      parser.push(Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: 0\r\nKeep-Alive: ${value}\r\n\r\n`))
      return parser.head?.keepSeconds
    }
    expect(keepSeconds('timeout=5, max=100')).toBe(5)
    expect(keepSeconds('max=100; Timeout="75"')).toBe(75)
    expect(keepSeconds('max=100')).toBeNull()
  })
})

const ok = 'HTTP/1.1 200 OK\r\n'
const chunks = `${ok}transfer-encoding: chunked\r\n\r\n`
const malformed: Readonly<Record<string, string>> = {
  'another protocol, before the end of its line': 'SSH-2.0-Open',
  'another protocol, from its first byte': '\x15\x03\x01\x00\x02',
  'an empty line first': '\r\nHTTP/1.1 200 OK\r\n\r\n',
  'a status line of another version': 'HTTP/2 200 OK\r\n\r\n',
  'a status of two digits': 'HTTP/1.1 20 OK\r\n\r\n',
  'a status below 100': 'HTTP/1.1 099 Low\r\n\r\n',
  'a status above 599': 'HTTP/1.1 600 High\r\n\r\n',
  'two spaces before the status': 'HTTP/1.1  200 OK\r\n\r\n',
  'a control character in the reason': 'HTTP/1.1 200 O\x01K\r\n\r\n',
  'a line that ends with LF alone': 'HTTP/1.1 200 OK\nA: b\r\n\r\n',
  'a head that ends with LF alone': 'HTTP/1.1 200 OK\r\nA: b\r\n\n',
  'a CR inside a value': `${ok}A: b\rc\r\n\r\n`,
  'a NUL inside a value': `${ok}A: b\0c\r\n\r\n`,
  'a field without a colon': `${ok}broken\r\n\r\n`,
  'a field without a colon before one that has it': `${ok}broken\r\nA: b\r\n\r\n`,
  'a field without a name': `${ok}: b\r\n\r\n`,
  'a space before the colon': `${ok}Content-Length : 2\r\n\r\nok`,
  'a folded field': `${ok}A: b\r\n c\r\n\r\n`,
  'a name with a control character': `${ok}A\x0bB: c\r\n\r\n`,
  'two different lengths': `${ok}content-length: 2\r\ncontent-length: 3\r\n\r\nok`,
  'a list of different lengths': `${ok}content-length: 2, 3\r\n\r\nok`,
  'a negative length': `${ok}content-length: -2\r\n\r\n`,
  'a length with a sign': `${ok}content-length: +2\r\n\r\n`,
  'a hexadecimal length': `${ok}content-length: 0x2\r\n\r\n`,
  'an empty length': `${ok}content-length:\r\n\r\n`,
  'a length beyond all numbers': `${ok}content-length: 99999999999999999999\r\n\r\n`,
  'a length and chunks': `${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`,
  'a coding other than chunked': `${ok}transfer-encoding: gzip, chunked\r\n\r\n`,
  'chunked twice': `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`,
  'chunked in HTTP/1.0': 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
  'another protocol after 101': 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n',
  'no end of interim answers': 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(17),
  'a chunk without a size': `${chunks}\r\n`,
  'a chunk size with a sign': `${chunks}-1\r\n`,
  'a chunk size that is not a number': `${chunks}g\r\n`,
  'a chunk size in C': `${chunks}0x5\r\nhello\r\n`,
  'a chunk size beyond all numbers': `${chunks}1234567890abc\r\n`,
  'a space in a chunk size': `${chunks}1 0\r\n`,
  'a chunk size line that ends with LF alone': `${chunks}5\nhello\r\n`,
  'a CR alone after a chunk size': `${chunks}5\rhello\r\n`,
  'a CR alone in a chunk extension': `${chunks}5;a\rb\r\nhello\r\n`,
  'an LF in a chunk extension': `${chunks}5;a\nhello\r\n`,
  'a chunk longer than its size': `${chunks}5\r\nhello!\r\n`,
  'a chunk that ends with LF alone': `${chunks}5\r\nhello\n0\r\n\r\n`,
  'a trailer without a colon': `${chunks}0\r\nbroken\r\n\r\n`,
  'a trailer without a name': `${chunks}0\r\n: b\r\n\r\n`,
  'a folded trailer': `${chunks}0\r\nA: b\r\n c\r\n\r\n`,
  'a trailer section that ends with LF alone': `${chunks}0\r\n\n`,
  'a head beyond the bound': `${ok}A: ${'b'.repeat(headBytesMax)}\r\n\r\n`,
  'a head beyond the bound that does not end': `${ok}A: ${'b'.repeat(headBytesMax)}`,
  'interim heads that are together beyond the bound':
    `HTTP/1.1 103 Early\r\nA: ${'b'.repeat(headBytesMax / 2)}\r\n\r\n`.repeat(2),
  'chunk extensions beyond the bound': `${chunks}${`1;${'e'.repeat(100)}\r\nx\r\n`.repeat(11)}`,
  'trailers beyond the bound': `${chunks}0\r\n${`A: ${'b'.repeat(100)}\r\n`.repeat(11)}`,
}

describe('refused is', () => {
  for (const [name, answer] of Object.entries(malformed)) {
    test(name, () => {
      expect(() => parse([answer])).toThrow(expect.objectContaining({ name: 'MalformedAnswer' }))
      expect(() => parse(answer.split(''))).toThrow(expect.objectContaining({ name: 'MalformedAnswer' }))
    })
  }
})
