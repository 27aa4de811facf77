/**
 * Why Sluice cannot start, in words for the person who started it: printed without a stack, and the
 * process ends with exit code 2. Thrown only for what that person can fix.
 */
export class StartProblem extends Error {
  /** One sentence or problem each; never empty, and without any secret. */
  readonly lines: readonly string[]

  constructor(lines: string | readonly string[], cause?: unknown) {
    const all = typeof lines === 'string' ? [lines] : lines
    super(all.join('\n'), { cause })
    this.name = 'StartProblem'
    this.lines = all
  }
}
