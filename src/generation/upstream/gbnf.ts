/**
 * A regular expression as a grammar of llama.cpp.
 * Format: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
 */
import type { Range, Regex } from '#lib/regex/syntax.ts'

/** A grammar whose root matches exactly what the expression matches. */
export function gbnfOf(regex: Regex): string {
  return `root ::= ${ruleOf(regex)}`
}

function ruleOf(regex: Regex): string {
  switch (regex.kind) {
    case 'set':
      return `[${regex.ranges.map(rangeText).join('')}]`
    case 'sequence':
      return regex.items.length === 0
        ? '""'
        : regex.items.map((item) => (item.kind === 'choice' ? `(${ruleOf(item)})` : ruleOf(item))).join(' ')
    case 'choice':
      return regex.options.map(ruleOf).join(' | ')
    case 'repeat':
      return itemOf(regex.item) + quantifierOf(regex.min, regex.max)
  }
}

/** What a quantifier is put behind. */
function itemOf(regex: Regex): string {
  return regex.kind === 'set' ? ruleOf(regex) : `(${ruleOf(regex)})`
}

function quantifierOf(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

function rangeText([first, last]: Range): string {
  return first === last ? pointText(first) : `${pointText(first)}-${pointText(last)}`
}

function pointText(point: number): string {
  const isPlain =
    (point >= 0x30 && point <= 0x39) || (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a)
  if (isPlain) return String.fromCharCode(point)
  if (point <= 0xff) return `\\x${point.toString(16).padStart(2, '0')}`
  return point <= 0xffff ? `\\u${point.toString(16).padStart(4, '0')}` : `\\U${point.toString(16).padStart(8, '0')}`
}
