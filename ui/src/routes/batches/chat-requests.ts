/** Requests of a batch from a text with one prompt in each line. */

/** Pieces of the file of requests: a chat for each line that is not blank, whose number is its `custom_id`. */
export function chatRequests(text: string, model: string): string[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const body = { model, messages: [{ role: 'user', content: line.replace(/\r$/, '') }] }
    return `${JSON.stringify({ custom_id: `line-${at + 1}`, method: 'POST', url: '/v1/chat/completions', body })}\n`
  })
}
