/**
 * Cuts code into words for colouring: comments, texts, numbers, keywords, names that are called, and the rest. It knows the
 * marks of families of languages, not their grammars: what it does not know keeps the colour of text. One pass, linear in the
 * length; every character of the code is in one word.
 */

export type WordKind = 'comment' | 'text' | 'number' | 'keyword' | 'name' | 'added' | 'removed'

export interface CodeWord {
  /** Null for what has no colour. */
  readonly kind: WordKind | null
  readonly text: string
}

interface Family {
  readonly languages: readonly string[]
  readonly keywords: ReadonlySet<string>
  /** What a comment to the end of the line begins with. */
  readonly lineComments: readonly string[]
  readonly blockComment?: readonly [open: string, close: string]
  /** What a text begins and ends with, longer marks first. */
  readonly quotes: readonly string[]
  /** Keywords in any case. */
  readonly anyCase?: true
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const cComment = ['/*', '*/'] as const

const families: readonly Family[] = [
  {
    languages: ['javascript', 'js', 'jsx', 'mjs', 'typescript', 'ts', 'tsx', 'anthropic', 'ai sdk', 'langchain'],
    keywords: words(
      'abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of override private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unique unknown using var void while with yield',
    ),
    lineComments: ['//'],
    blockComment: cComment,
    quotes: ['`', '"', "'"],
  },
  {
    languages: ['python', 'py', 'python3', 'pyi'],
    keywords: words(
      'False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
    ),
    lineComments: ['#'],
    quotes: ['"""', "'''", '"', "'"],
  },
  {
    languages: [
      'c',
      'h',
      'cpp',
      'c++',
      'cc',
      'hpp',
      'csharp',
      'cs',
      'java',
      'kotlin',
      'kt',
      'swift',
      'scala',
      'dart',
      'php',
    ],
    keywords: words(
      'abstract as async auto await base bool boolean break byte case catch char class companion const constexpr continue data default delegate delete do double echo else enum extends extension explicit extern false final finally float fn for foreach fun func function get goto guard if implements import in include inline int interface internal is lateinit let long match mutable namespace native new nil null nullptr object open operator out override package private protected public readonly record ref required return sealed set short signed sizeof static std string struct suspend switch synchronized template this throw throws trait true try type typealias typedef typename union unsigned use using val var virtual void volatile when where while with yield',
    ),
    lineComments: ['//'],
    blockComment: cComment,
    quotes: ['"""', '"', "'"],
  },
  {
    languages: ['go', 'golang', 'rust', 'rs', 'zig'],
    keywords: words(
      'any as async await bool break byte case chan comptime const continue crate default defer dyn else enum error extern fallthrough false float32 float64 fn for func go goto if impl import in int int32 int64 interface iota let loop make map match mod move mut new nil package pub range ref return rune select self Self static str string String struct super switch trait true try type u8 u32 u64 i32 i64 uint unsafe use usize var where while',
    ),
    lineComments: ['//'],
    blockComment: cComment,
    quotes: ['`', '"'],
  },
  {
    languages: ['bash', 'sh', 'shell', 'zsh', 'console', 'curl', 'dockerfile', 'makefile', 'make'],
    keywords: words(
      'case do done elif else esac export fi for function if in local return set then until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM LABEL RUN USER VOLUME WORKDIR cd curl docker echo exit git npm pip sudo',
    ),
    lineComments: ['#'],
    quotes: ['"', "'"],
  },
  {
    languages: ['sql', 'postgresql', 'postgres', 'mysql', 'sqlite', 'plsql'],
    keywords: words(
      'add all alter and as asc begin between bigint boolean by case check column commit constraint create cross default delete desc distinct drop else end exists explain false foreign from full function group having if in index inner insert integer into is join key left like limit not null numeric offset on or order outer over partition primary references returning right rollback row select set table text then timestamp true union unique update using values varchar view when where with',
    ),
    lineComments: ['--'],
    blockComment: cComment,
    quotes: ["'", '"'],
    anyCase: true,
  },
  {
    languages: ['json', 'jsonc', 'json5', 'yaml', 'yml', 'toml', 'ini', 'env', 'hcl', 'terraform', 'graphql', 'proto'],
    keywords: words('true false null yes no on off input type query mutation enum interface message service'),
    lineComments: ['#', '//'],
    quotes: ['"""', '"', "'"],
  },
  {
    languages: ['html', 'xml', 'svg', 'vue', 'svelte'],
    keywords: words(''),
    lineComments: [],
    blockComment: ['<!--', '-->'],
    quotes: ['"', "'"],
  },
  {
    languages: ['css', 'scss', 'less'],
    keywords: words('important media import supports keyframes container layer from to and not only var calc'),
    lineComments: [],
    blockComment: cComment,
    quotes: ['"', "'"],
  },
  {
    languages: ['ruby', 'rb', 'elixir', 'ex', 'perl', 'pl', 'r', 'julia', 'jl'],
    keywords: words(
      'alias and begin break case class def defmodule do else elsif end ensure false fn for foreach function if import in let module my next nil not or our package private require rescue return self sub super then true unless until use using when while yield NULL TRUE FALSE',
    ),
    lineComments: ['#'],
    quotes: ['"', "'"],
  },
  {
    languages: ['lua', 'haskell', 'hs', 'ada', 'elm'],
    keywords: words(
      'and as break case class data deriving do else elseif end false for function if import in infixl instance let local module newtype nil not of or qualified repeat return then true type until where while',
    ),
    lineComments: ['--'],
    quotes: ['"'],
  },
]

const familyOf = new Map(families.flatMap((family) => family.languages.map((language) => [language, family])))

/** Longer code keeps the colour of text: so many elements would slow the page down. */
export const colouredMax = 40_000

/** The words of code; null for a language without colours, and for very long code. */
export function codeWords(code: string, language: string): readonly CodeWord[] | null {
  if (code.length > colouredMax) return null
  const name = language.toLowerCase()
  if (name === 'diff' || name === 'patch') return diffWords(code)
  const family = familyOf.get(name)
  return family === undefined ? null : joined(wordsOf(code, family))
}

function diffWords(code: string): readonly CodeWord[] {
  return code.split(/(?<=\n)/).map((line) => {
    if (line.startsWith('@@')) return { kind: 'keyword', text: line }
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : null
    return { kind, text: line }
  })
}

const tokenPattern = /[A-Za-z_$][\w$]*|\d[\w.]*|\s+|[^\w\s]/y

function* wordsOf(code: string, family: Family): Generator<CodeWord> {
  for (let at = 0; at < code.length;) {
    const end = commentEnd(code, at, family)
    if (end !== null) {
      yield { kind: 'comment', text: code.slice(at, end) }
      at = end
      continue
    }
    const quote = family.quotes.find((each) => code.startsWith(each, at))
    if (quote !== undefined) {
      const after = textEnd(code, at + quote.length, quote)
      yield { kind: 'text', text: code.slice(at, after) }
      at = after
      continue
    }
    tokenPattern.lastIndex = at
    const text = tokenPattern.exec(code)?.[0] ?? code.slice(at, at + 1)
    at += text.length
    yield { kind: kindOf(text, code[at], family), text }
  }
}

function commentEnd(code: string, at: number, { lineComments, blockComment }: Family): number | null {
  if (blockComment !== undefined && code.startsWith(blockComment[0], at)) {
    const end = code.indexOf(blockComment[1], at + blockComment[0].length)
    return end === -1 ? code.length : end + blockComment[1].length
  }
  const mark = lineComments.find((each) => code.startsWith(each, at))
  // "#" inside of a word is a colour or an anchor, "//" after a colon an address.
  if (mark === undefined || (at > 0 && !/[\s;{}(),]/.test(code[at - 1] ?? ''))) return null
  const end = code.indexOf('\n', at)
  return end === -1 ? code.length : end
}

/** The end of a text: its mark, or for marks of one character but "`" the end of the line. */
function textEnd(code: string, from: number, quote: string): number {
  const isLong = quote.length > 1 || quote === '`'
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1
    else if (code.startsWith(quote, at)) return at + quote.length
    else if (!isLong && code[at] === '\n') return at
  }
  return code.length
}

function kindOf(text: string, next: string | undefined, { keywords, anyCase }: Family): WordKind | null {
  if (/^\d/.test(text)) return 'number'
  if (!/^[A-Za-z_$]/.test(text)) return null
  if (keywords.has(anyCase === true ? text.toLowerCase() : text)) return 'keyword'
  return next === '(' ? 'name' : null
}

/** Neighbours of one kind as one word. */
function joined(all: Iterable<CodeWord>): readonly CodeWord[] {
  const result: CodeWord[] = []
  for (const word of all) {
    const last = result.at(-1)
    if (last !== undefined && last.kind === word.kind)
      result[result.length - 1] = { ...last, text: last.text + word.text }
    else result.push(word)
  }
  return result
}
