/**
 * A process that reads untrusted files. It does one assignment after the other and answers
 * each with facts or with a failure. Time and memory are watched by the server, from outside.
 *
 * Started by reading-child.ts, never imported.
 */
import { resourceFaultOf } from '#lib/resource-fault.ts'
import { ReadFailure } from '#readers/reading.ts'
import { dieWithParent } from './die-with-parent.ts'
import { operations, type Progress } from './operations.ts'
import type { Answer, Assignment, Message, OperationName } from './protocol.ts'

function perform(assignment: Assignment): Promise<Answer<OperationName>> {
  switch (assignment.name) {
    case 'unpack':
      return operations.unpack(assignment.work, progress)
    case 'detect':
      return operations.detect(assignment.work, progress)
    case 'read':
      return operations.read(assignment.work, progress)
    case 'render':
      return operations.render(assignment.work, progress)
    case 'divide':
      return operations.divide(assignment.work, progress)
    case 'assemble':
      return operations.assemble(assignment.work, progress)
  }
}

const progress: Progress = {
  chunking: (pages) => send({ kind: 'chunking', pages }),
  async working(amount) {
    send({ kind: 'working', ...amount })
    // What follows keeps this thread for seconds: the message has to be gone before.
    await new Promise((resolve) => setImmediate(resolve))
  },
}

/** An unforeseen failure counts as the file's fault; the log has the detail. */
function failure(thrown: unknown): Message {
  const fault = resourceFaultOf(thrown)
  if (fault !== null) return { kind: 'exhausted', fault, detail: String(thrown) }
  if (thrown instanceof ReadFailure) {
    return { kind: 'failed', code: thrown.code, message: thrown.message, detail: null }
  }
  const detail = thrown instanceof Error ? (thrown.stack ?? String(thrown)) : String(thrown)
  // A stack that overflows, a string or an array that grows too long: all are RangeErrors.
  if (thrown instanceof RangeError) {
    const message = 'The file is nested too deeply or too large to be read. Divide it into smaller files.'
    return { kind: 'failed', code: 'too_complex', message, detail }
  }
  const message =
    'The file could not be read: it is damaged, or made in a way that is not supported. Save it again and import that.'
  return { kind: 'failed', code: 'damaged', message, detail }
}

function send(message: Message): void {
  process.send?.(message)
}

dieWithParent()
// A key press in the server's terminal reaches its whole process group; ending this process is up to the server.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
process.on('message', (assignment: Assignment) => {
  perform(assignment).then(
    (answer) => send({ kind: 'done', answer }),
    (thrown: unknown) => send(failure(thrown)),
  )
})
send({ kind: 'ready' })
