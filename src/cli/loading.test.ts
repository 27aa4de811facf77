import { expect, test } from 'bun:test'

/** Modules of the project that one invocation has loaded. */
async function loadedBy(args: readonly string[]): Promise<readonly string[]> {
  const script = `const { run } = await import(${JSON.stringify(new URL('run.ts', import.meta.url).pathname)})
    await run(${JSON.stringify(args)})
    console.error(JSON.stringify(Object.keys(require.cache)))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'pipe' })
  const lines = (await child.stderr.text()).trim().split('\n')
  return JSON.parse(lines.at(-1) ?? '') as readonly string[]
}

test.each([[['version']], [['--help']], [['keys', 'list', '--url', 'http://127.0.0.1:1', '--key', 'none']]])(
  '%p loads neither the app nor the store, which take longer than all else',
  async (args) => {
    const loaded = await loadedBy(args)
    expect(loaded.some((path) => path.endsWith('/src/cli/commands.ts'))).toBe(true)
    expect(loaded.filter((path) => /\/src\/(app\.ts|store\/)|\/kysely\//.test(path))).toEqual([])
  },
)
