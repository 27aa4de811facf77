/** Starts processes that use a store, for tests of what several of them, or a killed one, leave behind. */
const script = new URL('./store-process.ts', import.meta.url).pathname

/** Opens the store in this many processes at once; resolves with what each printed and its exit code. */
export async function openAtOnce(
  url: string,
  processes: number,
): Promise<readonly { readonly printed: string; readonly code: number }[]> {
  const started = Array.from({ length: processes }, () =>
    Bun.spawn([process.execPath, script, 'open', url], { stdout: 'pipe', stderr: 'inherit' }),
  )
  return Promise.all(
    started.map(async (child) => ({ printed: await new Response(child.stdout).text(), code: await child.exited })),
  )
}

/** Lets a process insert keys, kills it after so many acknowledged ones, and resolves with all that it acknowledged. */
export async function killWhileInserting(url: string, acknowledged: number): Promise<readonly string[]> {
  const child = Bun.spawn([process.execPath, script, 'insert', url], { stdout: 'pipe', stderr: 'inherit' })
  let printed = ''
  const decoder = new TextDecoder()
  for await (const bytes of child.stdout) {
    printed += decoder.decode(bytes, { stream: true })
    if (printed.split('\n').length > acknowledged) child.kill('SIGKILL')
  }
  await child.exited
  // What follows the last line break is empty, or an id whose line was cut off.
  return printed.split('\n').slice(0, -1)
}
