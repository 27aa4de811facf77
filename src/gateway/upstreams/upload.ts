/** An upload on its way to one upstream, and whose turn it is meanwhile. */
import type { Upstream } from '#catalog/upstream.ts'
import type { Upload } from '#providers/provider.ts'
import type { CallWatch } from '../call/call-watch.ts'
import type { FormBody } from '../request/form-body.ts'

export interface UploadTiming {
  readonly watch: CallWatch
  readonly firstTokenSeconds: number
  /** The answer has begun before the upload was over: from then on its relay sets the time-outs. */
  answered: boolean
}

/**
 * The form for this upstream. While the client is read from, its own time limit holds; the time-out
 * for the first token begins anew whenever bytes are there for the upstream to take.
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
