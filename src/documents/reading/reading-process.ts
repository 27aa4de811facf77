/**
 * A process that reads files of people whom nobody has to trust: it does one assignment after the other and answers
 * each with facts or with a failure. Time and memory are watched by the server, from outside.
 *
 * Started by reading-child.ts, never imported.
 */
import { ReadFailure } from '#readers/reading.ts'
import { dieWithParent } from './die-with-parent.ts'
import { operations } from './operations.ts'
import type { Answer, Assignment, Message, OperationName } from './protocol.ts'

function perform(assignment: Assignment): Promise<Answer<OperationName>> {
  switch (assignment.name) {
    case 'detect':
      return operations.detect(assignment.work, cutting)
    case 'read':
      return operations.read(assignment.work, cutting)
    case 'render':
      return operations.render(assignment.work, cutting)
    case 'assemble':
      return operations.assemble(assignment.work, cutting)
  }
}

function cutting(pages: number): void {
  send({ kind: 'cutting', pages })
}

/** What a reader did not foresee is the file's fault until somebody finds out more from the log. */
function failure(thrown: unknown): Message {
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
    'The file could not be read: it is damaged, or made in a way that is not supported. Save it anew and import that.'
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
