/** What every chunker promises, whatever the reading. `describeChunker` is called by the test of each. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Chunk, Chunker, ChunkOptions, CountTokens } from '#chunkers/chunk.ts'
import { countTokensOf } from '#chunkers/count-tokens.ts'
import type { Reading } from '#readers/reading.ts'
import { anyReading, plainReading } from '#test/support/documents/generated-reading.ts'

export interface ChunkerExpectation {
  readonly chunker: Chunker
  /** Sizes that make many chunks of a small reading. */
  readonly options: fc.Arbitrary<ChunkOptions>
  /** Size of a chunk in the chunker's unit, its header included; the property is left out where it has no such size. */
  readonly sizeOf?: (chunk: Chunk, text: string, countTokens: CountTokens) => number
}

const runs = 40

export function describeChunker({ chunker, options, sizeOf }: ChunkerExpectation): void {
  const chunked = async (reading: Reading, room: ChunkOptions) => {
    const countTokens = await countTokensOf('cl100k_base')
    return { countTokens, chunks: chunker.chunk(reading, room, countTokens) }
  }
  const holds = async (check: (reading: Reading, room: ChunkOptions) => Promise<void>) => {
    await fc.assert(fc.asyncProperty(anyReading, options, check), { numRuns: runs })
  }

  describe(`the ${chunker.name} chunker`, () => {
    test('covers every character, in order', async () => {
      await holds(async (reading, room) => {
        const { chunks } = await chunked(reading, room)
        const ends = chunks.map(({ end }, index) => Math.max(end, chunks[index - 1]?.end ?? 0))
        const gaps = chunks.filter(({ start }, index) => start > (ends[index - 1] ?? 0))
        const unordered = chunks.filter(
          ({ start, end }, index) => start >= end || start <= (chunks[index - 1]?.start ?? -1),
        )
        expect({ gaps, unordered, end: ends.at(-1) ?? 0 }).toEqual({
          gaps: [],
          unordered: [],
          end: reading.text.length,
        })
      })
    })

    test('without an overlap repeats nothing', async () => {
      await holds(async (reading, { units }) => {
        const { chunks } = await chunked(reading, { units, overlap: 0 })
        expect(chunks.map(({ start, end }) => reading.text.slice(start, end)).join('')).toBe(reading.text)
      })
    })

    test('splits no surrogate pair', async () => {
      await holds(async (reading, room) => {
        const { chunks } = await chunked(reading, room)
        expect(chunks.filter(({ start, end }) => !reading.text.slice(start, end).isWellFormed())).toEqual([])
      })
    })

    test('says of each chunk its tokens, page, headings and table', async () => {
      await holds(async (reading, room) => {
        const { chunks, countTokens } = await chunked(reading, room)
        expect(chunks).toMatchObject(chunks.map((chunk) => said(reading, chunk, countTokens)))
      })
    })

    if (sizeOf !== undefined) {
      test('keeps to the size, but where a single code point is larger', async () => {
        await holds(async (reading, room) => {
          const { chunks, countTokens } = await chunked(reading, room)
          const tooLarge = chunks.filter((chunk) => {
            const text = reading.text.slice(chunk.start, chunk.end)
            return Array.from(text).length > 1 && sizeOf(chunk, text, countTokens) > room.units
          })
          expect(tooLarge).toEqual([])
        })
      })
    }

    test('makes the same chunks of the same reading', async () => {
      await fc.assert(
        fc.asyncProperty(anyReading, options, async (reading, room) => {
          expect((await chunked(reading, room)).chunks).toEqual((await chunked(reading, room)).chunks)
        }),
        { numRuns: 20 },
      )
    })

    test('makes nothing of nothing', async () => {
      expect((await chunked(plainReading(''), chunker.defaults)).chunks).toEqual([])
    })

    test.each([
      ['one letter', 'a'],
      ['white space', ' '],
      ['lines without text', '\n'],
      ['a script without spaces', '漢'],
      ['full stops', '.'],
      ['joined emoji', '👩‍👩‍👧'],
      ['marks on one letter', '\u0301'],
      ['short lines', 'a\n'],
      ['short paragraphs', 'a\n\n'],
      ['initials', 'A. '],
    ])('counts few times the text, however long it is: %s', async (_, unit) => {
      const countTokens = await countTokensOf('cl100k_base')
      const counted = (length: number) => {
        let characters = 0
        const counting: CountTokens = (text) => {
          characters += text.length
          return countTokens(text)
        }
        const text = unit.repeat(length / unit.length)
        chunker.chunk(plainReading(text), chunker.defaults, counting)
        return characters / text.length
      }
      expect(counted(100_000)).toBeLessThan(Math.max(12, counted(10_000) * 1.5))
    })
  })
}

/** The slow and simple way to say where a chunk comes from. */
function said(reading: Reading, { start, end }: Chunk, countTokens: CountTokens): Partial<Chunk> {
  const text = reading.text.slice(start, end)
  const first = start + Math.max(0, text.search(/\S/))
  const page = reading.pages.findLast((mark) => mark.start <= first)
  const holding = (at: number) => reading.headings.find((heading) => heading.start <= at && at < heading.end)
  // Of a chunk that begins with headings, what stands under them counts, if there is some.
  let place = first
  for (let own = holding(place); own !== undefined; own = holding(place))
    place = own.end + Math.max(0, reading.text.slice(own.end).search(/\S/))
  if (place >= end) place = first
  const own = holding(place)
  const path: { level: number; title: string }[] = []
  for (const { level, title } of reading.headings.filter((heading) => heading.end <= place)) {
    while ((path.at(-1)?.level ?? 0) >= level) path.pop()
    path.push({ level, title })
  }
  const titles = path.filter(({ level }) => own === undefined || level < own.level).map(({ title }) => title)
  const table = reading.tables.find((mark) => mark.headerEnd <= first && first < mark.end)
  const header = table === undefined ? null : reading.text.slice(table.start, table.headerEnd).trimEnd()
  return {
    page: page?.number ?? null,
    pageLabel: page?.label ?? null,
    headingPath: titles,
    tokens: countTokens(text),
    ...(header === null && { tableHeader: null }),
  }
}
