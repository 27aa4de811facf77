/** The server's words about a field, as people read them. */

/**
 * The server's message as it reads beside the field. `"composite.components.0.weight": expected a number.` names a
 * field of the API, which the person at the form has never seen. An empty `param` is that of no field: the whole path is said.
 */
export function fieldText(message: string, param: string): string {
  const [, path, fault] = /^"([^"]*)": (.+)$/s.exec(message) ?? []
  if (path === undefined || fault === undefined || !isWithin(path, param)) return message
  if (path === param && fault.endsWith(', and it is missing.')) return 'Fill this in.'
  const place = path
    .slice(param === '' ? 0 : param.length + 1)
    .split('.')
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? `entry ${Number(part) + 1}` : part.replaceAll('_', ' ')))
    .join(', ')
  const text = place === '' ? fault : `${place}: ${fault}`
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function isWithin(path: string, param: string): boolean {
  return param === '' || path === param || path.startsWith(`${param}.`)
}
