/** Request ids: a caller's own is kept when it cannot do harm in a log line or a header. */

import { newTimedId } from '#lib/timed-id.ts'

const harmless = /^[\w.:-]{1,128}$/

export function requestIdFrom(headers: Headers): string {
  const sent = headers.get('x-request-id')
  return sent !== null && harmless.test(sent) ? sent : newTimedId('req')
}
