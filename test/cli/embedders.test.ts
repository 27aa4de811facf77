/** Installing a local embedding model: from a folder and from a mirror, well and badly behaved. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeTinyModel } from '#test/support/documents/tiny-onnx-model.ts'
import { Installation } from './sluice.ts'

interface Mirror extends AsyncDisposable {
  readonly url: string
  readonly requests: string[]
  /** Answers in place of it, or null. */
  fault: (path: string) => Response | null
}

/** The files of a model, served below `/models/tiny`. */
function startMirror(folder: string): Mirror {
  const requests: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }): Response {
      const path = new URL(url).pathname.replace('/models/tiny/', '')
      requests.push(path)
      const file = join(folder, path)
      return mirror.fault(path) ?? (existsSync(file) ? new Response(Bun.file(file)) : new Response('', { status: 404 }))
    },
  })
  const url = `http://127.0.0.1:${server.port}/models/tiny`
  const mirror: Mirror = { url, requests, fault: () => null, [Symbol.asyncDispose]: () => server.stop(true) }
  return mirror
}

const installed = (sluice: Installation, name: string): string => join(sluice.directory, 'data', 'embedders', name)

describe('sluice embedders install', () => {
  test('brings a model from a folder, and from a mirror only what it needs', async () => {
    await using sluice = new Installation({ SLUICE_DATA_DIR: 'data' })
    const folder = join(sluice.directory, 'tiny')
    await writeTinyModel(folder)
    writeFileSync(join(folder, 'onnx/model_quantized.onnx'), 'small weights')
    await using mirror = startMirror(folder)
    const first = await sluice.run(['embedders', 'install', 'tiny', '--weights', 'model'])
    expect(first).toMatchObject({ code: 0 })
    expect(first.stdout).toContain(
      `documents.local_model_dir=${installed(sluice, 'tiny')} and documents.embedder=local`,
    )
    expect(
      readFileSync(join(installed(sluice, 'tiny'), 'onnx/model.onnx')).equals(
        readFileSync(join(folder, 'onnx/model.onnx')),
      ),
    ).toBe(true)
    const second = await sluice.json<{ folder: string }>([
      'embedders',
      'install',
      `${mirror.url}/`,
      '--name',
      'from-mirror',
    ])
    expect(readdirSync(join(second.folder, 'onnx'))).toEqual(['model_quantized.onnx'])
    expect(mirror.requests.filter((each) => each.startsWith('onnx/'))).toEqual([
      'onnx/model_quantized.onnx',
      'onnx/model_quantized.onnx_data',
    ])
  })

  test('leaves what was there when the mirror breaks off, lies or lacks a file', async () => {
    await using sluice = new Installation({ SLUICE_DATA_DIR: 'data' })
    const folder = join(sluice.directory, 'tiny')
    await writeTinyModel(folder)
    await using mirror = startMirror(folder)
    const { url } = mirror
    expect((await sluice.run(['embedders', 'install', url])).code).toBe(0)
    const before = readFileSync(join(installed(sluice, 'tiny'), 'config.json'), 'utf8')
    const gone = (name: string) => (path: string) => (path === name ? new Response('', { status: 404 }) : null)
    const faults: readonly (readonly [(path: string) => Response | null, RegExp])[] = [
      [gone('tokenizer.json'), /There is no tokenizer\.json\./],
      [
        (path) => (path.startsWith('onnx/') ? new Response('', { status: 404 }) : null),
        /There are no weights: none of /,
      ],
      [
        (path) => (path === 'config.json' ? new Response('', { status: 500 }) : null),
        /config\.json answered with status 500/,
      ],
    ]
    for (const [fault, message] of faults) {
      mirror.fault = fault
      const run = await sluice.run(['embedders', 'install', url])
      expect([run.code, message.test(run.stderr)]).toEqual([1, true])
      expect(readFileSync(join(installed(sluice, 'tiny'), 'config.json'), 'utf8')).toBe(before)
      expect(readdirSync(join(sluice.directory, 'data', 'embedders'))).toEqual(['tiny'])
    }
    for (const args of [['nowhere'], [url, '--weights', 'other'], ['/', '--name', '../x']])
      expect((await sluice.run(['embedders', 'install', ...args])).code).toBe(2)
  })
})
