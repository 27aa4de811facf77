/** The page of the embedding models whose form Sluice knows, from the table itself. */
import {
  knownEmbeddingModels,
  type KnownEmbeddingModel,
  type TaskFields,
} from '#documents/embedders/known-embedding-models.ts'

export function embeddingModelsMarkdown(): string {
  const rows = knownEmbeddingModels.map((model) => {
    const query = formOf(model.queryPrefix, model.queryFields)
    const passage = formOf(model.passagePrefix, model.passageFields)
    const cells = [model.family, query, passage, kindsOf(model), lengthsOf(model), model.maxTokens?.toString() ?? '']
    return `| ${cells.join(' | ')} |`
  })
  return [
    '# Known embedding models',
    '',
    'What these models get with questions and passages of documents; the first row that fits counts. An import can say',
    'otherwise: [embedders.md](embedders.md). A ⏎ is a new line. Empty cells: nothing is added, or it is not known.',
    '',
    '| model | before or with a question | before or with a passage | fields for | lengths of vectors | tokens |',
    '|---|---|---|---|---|---:|',
    ...rows,
    '',
    'Fields are sent only to the kinds of providers that have them. "Cut here": Sluice takes the beginning of the vector.',
    '',
  ].join('\n')
}

function formOf(prefix: string | undefined, fields: TaskFields | undefined): string {
  const texts = Object.entries(fields ?? {}).map(([name, value]) => `${name}: ${value}`)
  const all = prefix === undefined ? texts : [prefix.replaceAll('\n', '⏎').replaceAll('|', String.raw`\|`), ...texts]
  return all.map((text) => `\`${text}\``).join(', ')
}

function kindsOf({ queryFields, fieldsFor }: KnownEmbeddingModel): string {
  return queryFields === undefined ? '' : (fieldsFor?.join(', ') ?? 'all')
}

function lengthsOf({ dimensions, shortenedBy }: KnownEmbeddingModel): string {
  if (dimensions === undefined) return ''
  if (dimensions === 'fixed') return 'one'
  const lengths = 'min' in dimensions ? `${dimensions.min} to ${dimensions.max}` : dimensions.join(', ')
  return shortenedBy === 'cut' ? `${lengths}; cut here` : lengths
}
