/** `sluice search`: finds passages in the imported documents. */
import { UsageProblem, type Command } from '../command.ts'
import { dataCommand } from '../admin/data-command.ts'
import type { Output } from '../output.ts'

interface HitOnWire {
  readonly doc_id: string
  readonly name: string
  readonly page: number | null
  readonly page_label: string | null
  readonly heading_path: readonly string[]
  readonly score: number
  readonly text: string
}

const shownCharacters = 400

export const searchCommand: Command = dataCommand({
  name: 'search',
  summary: 'Find passages in the imported documents.',
  positionals: [{ name: 'QUERY', sentence: 'A question, or words to look for.', repeatable: true }],
  flags: {
    'top-k': { type: 'string', placeholder: 'N', sentence: 'Most passages; 5 when left out.' },
    mode: {
      type: 'string',
      placeholder: 'MODE',
      sentence: 'How to search: auto, hybrid, vector or keyword; auto when left out.',
    },
    category: { type: 'string', placeholder: 'NAME', repeatable: true, sentence: 'Only documents of this category.' },
    'max-per-document': { type: 'string', placeholder: 'N', sentence: 'Most passages of one document.' },
    rerank: {
      type: 'string',
      placeholder: 'MODEL',
      sentence: 'Rerank model that orders the passages, or "none"; as the settings say when left out.',
    },
  },
  async run(client, { positionals, flags, output }) {
    const topK = countOf('--top-k', flags.get('top-k') ?? '5')
    const perDocument = flags.get('max-per-document')
    const categories = flags.all('category')
    const body = JSON.stringify({
      query: positionals.join(' '),
      top_k: topK,
      max_per_document: perDocument === undefined ? undefined : countOf('--max-per-document', perDocument),
      mode: flags.get('mode') ?? 'auto',
      category: categories.length > 0 ? categories : null,
      rerank: rerankOf(flags.get('rerank')),
    })
    const response = await client.request('POST', '/api/v1/search', new Blob([body], { type: 'application/json' }))
    const answer = (await response.json()) as { data: readonly HitOnWire[]; warnings: readonly string[] }
    output.result(answer.data, () => linesOf(answer.data, output))
    // For machines, too: what could not be searched is missing from the hits.
    if (answer.warnings.length > 0) output.problems(answer.warnings)
    return 0
  },
})

function countOf(flag: string, given: string): number {
  if (/^[1-9]\d{0,2}$/.test(given) && Number(given) <= 200) return Number(given)
  throw new UsageProblem(`${flag} takes a whole number from 1 to 200.`)
}

function rerankOf(given: string | undefined): { readonly model: string } | false | undefined {
  if (given === undefined) return undefined
  return given === 'none' ? false : { model: given }
}

function linesOf(hits: readonly HitOnWire[], output: Output): readonly string[] {
  if (hits.length === 0) return ['Nothing was found.']
  return hits.flatMap(({ name, page, page_label: label, heading_path: headings, score, text }, index) => {
    const place = [...(page === null ? [] : [label ?? `page ${page}`]), ...headings].join(' › ')
    const shown = text.replaceAll(/\s+/g, ' ').trim()
    const clipped = shown.length > shownCharacters ? `${shown.slice(0, shownCharacters)}…` : shown
    const head = `${index + 1}. ${output.bold(name)}${place === '' ? '' : `, ${place}`}  (${score.toFixed(2)})`
    return [head, `   ${clipped}`, '']
  })
}
