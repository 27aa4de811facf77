/** An upload on its way to one upstream, with the time-outs of the side that it waits for. */
import type { Upstream } from '#catalog/upstream.ts'
import type { Upload } from '#providers/provider.ts'
import type { CallWatch } from '../call/call-watch.ts'
import type { FormBody } from '../request/form-body.ts'

export interface UploadTiming {
  readonly watch: CallWatch
  readonly firstTokenSeconds: number
  /** The answer has begun, perhaps before the end of the upload: from then on its relay sets the time-outs. */
  answered: boolean
}

/**
 * The form for this upstream. While the gateway reads from the client, the client's own time limit
 * holds. The time-out for the first token starts again whenever there are bytes for the upstream to take.
 */
export function uploadOf(form: FormBody, upstream: Upstream, timing: UploadTiming): Upload {
  const { watch, firstTokenSeconds } = timing
  const pass = form.pass(upstream.upstreamName)
  return {
    contentType: form.contentType,
    body: {
      length: pass.length,
      async read() {
        if (!timing.answered) watch.rest()
        try {
          return await pass.read()
        } finally {
          if (!timing.answered) watch.expect('first-token', firstTokenSeconds)
        }
      },
    },
  }
}
