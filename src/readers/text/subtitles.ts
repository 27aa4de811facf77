/**
 * Subtitles (SubRip and WebVTT), and what else was said at times: one page for each minute, named after the time of its
 * first words, so that whatever is found there has its time. (W3C WebVTT, 2019.)
 */
import { type Reader, ReadFailure } from '../reading.ts'
import { TextBuilder } from '../text-builder.ts'
import { decodeText } from './charset.ts'

/** Words and when they begin. */
export interface Cue {
  readonly startMs: number
  readonly text: string
}

const pageMs = 60_000
const times = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})\s*-->/

/** Appends cues in their order, a page for each minute that has words. */
export function appendCues(builder: TextBuilder, cues: readonly Cue[]): void {
  let minute = -1
  let said: string[] = []
  const flush = (): void => {
    builder.paragraph(said.join(' '))
    said = []
  }
  for (const { startMs, text } of cues) {
    if (text === '') continue
    const next = Math.max(minute, Math.floor(startMs / pageMs))
    if (next !== minute) {
      flush()
      builder.page(clock(startMs))
      minute = next
    }
    said.push(text)
  }
  flush()
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

function cuesIn(text: string): Cue[] {
  const cues: Cue[] = []
  let startMs: number | null = null
  let lines: string[] = []
  const close = (): void => {
    if (startMs !== null) cues.push({ startMs, text: spoken(lines.join(' ')) })
    startMs = null
    lines = []
  }
  for (const raw of text.split(/\r\n?|\n/)) {
    const line = raw.trim()
    const found = times.exec(line)
    if (found !== null) {
      close()
      const [, hours = '0', minutes = '0', seconds = '0', fraction = '0'] = found
      startMs =
        ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0'))
    } else if (line === '') close()
    else if (startMs !== null) lines.push(line)
  }
  close()
  return cues
}

/** Without the tags for slanted letters, colours and speakers, and without places on the screen. */
function spoken(line: string): string {
  return line
    .replace(/<v(?:\.[\w.]{1,100})? ([^<>]{1,200})>/g, '$1: ')
    .replace(/<[^<>]{0,200}>|\{\\[^{}]{0,100}\}/g, '')
    .replace(/&(amp|lt|gt|nbsp);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Reads subtitles. */
export const subtitlesReader: Reader = {
  name: 'subtitles',
  read: async ({ bytes, mediaType, limits }) => {
    const builder = new TextBuilder(limits)
    const { text, warning } = decodeText(bytes)
    if (warning !== null) builder.warn(warning)
    const cues = cuesIn(text)
    if (cues.length === 0) throw new ReadFailure('damaged', 'The file has no subtitles with times. Import it as text.')
    // Rolling captions repeat the line before.
    appendCues(
      builder,
      cues.filter(({ text: words }, at) => words !== cues[at - 1]?.text),
    )
    return builder.reading({ mediaType, title: null })
  },
}
