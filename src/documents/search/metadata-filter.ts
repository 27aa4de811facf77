/** A filter over metadata in a request. */
import { ApiError } from '#errors/api-error.ts'
import { readFilter, type MetadataFilter } from '#store/documents/metadata/metadata-filter.ts'

/** The filter in this field. Answers 422 with the place in it that is wrong. */
export function filterOf(sent: unknown, field: string): MetadataFilter {
  const read = readFilter(sent)
  if (read.kind === 'filter') return read.filter
  const param = read.at === '' ? field : `${field}.${read.at}`
  throw new ApiError('invalid_filter', { param, message: `"${param}" ${read.message}.` })
}

/** The same for a field that holds the filter as JSON. */
export function filterIn(text: string, field: string): MetadataFilter {
  let sent: unknown
  try {
    sent = JSON.parse(text)
  } catch (cause) {
    throw new ApiError('invalid_filter', { param: field, message: `"${field}" must be a filter as JSON.`, cause })
  }
  return filterOf(sent, field)
}
