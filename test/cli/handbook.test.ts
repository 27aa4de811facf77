/**
 * The commands of docs/operations.md, run one after the other on a new installation. Paths and the port are those of the test, and
 * functions stand for systemd: they start and stop the server as the unit does.
 */
import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#test/support/network/free-port.ts'
import { Installation, sluiceProgram } from './sluice.ts'

const page = readFileSync(join(import.meta.dir, '../../docs/operations.md'), 'utf8')
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
const missing = ['bash', 'curl', 'setsid'].find((name) => Bun.which(name) === null)

/** systemd, as far as the page uses it. The log is that of the unit: standard output and standard error. */
const functions = String.raw`
set -euo pipefail
systemctl() {
  case "$1" in
    enable|start)
      (cd "$ROOT/etc" && SLUICE_DATA_DIR="$ROOT/lib" exec setsid sluice start >> "$ROOT/log" 2>&1 < /dev/null) &
      echo $! > "$ROOT/pid"
      until sluice health --ready > /dev/null 2>&1; do kill -0 "$(cat "$ROOT/pid")" || { cat "$ROOT/log"; return 1; }; done ;;
    stop) kill -TERM "$(cat "$ROOT/pid")" && wait "$(cat "$ROOT/pid")" ;;
    restart) systemctl stop && systemctl start ;;
  esac
}
journalctl() { cat "$ROOT/log"; }
trap 'kill -KILL "$(cat "$ROOT/pid")" 2> /dev/null || true' EXIT
export SLUICE_DATA_DIR="$ROOT/lib"
`

test.skipIf(missing !== undefined)(
  `the commands of the handbook do what it says${missing === undefined ? '' : ` (skipped: ${missing} is not installed)`}`,
  async () => {
    expect(blocks.length).toBeGreaterThanOrEqual(9)
    await using sluice = new Installation()
    const root = sluice.directory
    for (const folder of ['etc', 'bin', 'backups']) mkdirSync(join(root, folder))
    symlinkSync(sluiceProgram, join(root, 'bin/sluice'))
    const port = await freePort()
    // Each command is shown before it runs, so that a failure names it.
    const commands = blocks
      .map((block) => `set -x\n${block}{ set +x; } 2> /dev/null\n`)
      .join('')
      .replaceAll('/etc/sluice', join(root, 'etc'))
      .replaceAll('/var/lib/sluice', join(root, 'lib'))
      .replaceAll('/var/backups/sluice', join(root, 'backups'))
      .replaceAll('127.0.0.1:3001', `127.0.0.1:${port}`)
    writeFileSync(join(root, 'handbook.sh'), `${functions}${commands}echo "all done"\n`)
    const child = Bun.spawn(['bash', 'handbook.sh'], {
      cwd: root,
      env: {
        ROOT: root,
        PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
        SLUICE_SERVER_PORT: String(port),
        SLUICE_DISCOVERY_ENABLED: 'false',
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect([await child.exited, stderr.slice(-2000)]).toEqual([0, expect.anything()])
    for (const seen of [
      /^ok$/m,
      /One-time password/,
      /^process_resident_memory_bytes \d/m,
      /"status":"ready"/,
      /"requestId":"handbook-1"/,
      /rows are as they were written/,
      /The database has the schema of this version/,
      /is complete: the database and/,
      /Restored the database/,
      /practice answers/,
      /^all done$/m,
    ])
      expect(stdout).toMatch(seen)
    // After the restore: the record of the request that was made before the backup.
    expect(stdout).toMatch(/"request_id": "handbook-1"/)
  },
  120_000,
)
