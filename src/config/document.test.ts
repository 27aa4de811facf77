import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationMarkdown } from './document.ts'
import { readEnvironment } from './sources/environment.ts'
import { exampleSecretKey, settingNames, variableOf } from './settings/records.ts'
import { loaded } from './test-support.ts'

test('the page names every setting with its variable', () => {
  const page = configurationMarkdown()
  for (const name of settingNames) {
    expect(page).toContain(`**\`${name}\`**`)
    expect(page).toContain(`\`${variableOf(name)}\``)
  }
})

test('the page describes every field of the declared entities', () => {
  const rows = configurationMarkdown()
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(25)
  for (const row of rows) expect(row).toMatch(/^\| `\w+` \| .*\| [A-Z`].*\. \|$/)
})

describe('sluice.example.yaml', () => {
  const text = readFileSync(join(import.meta.dir, '../../sluice.example.yaml'), 'utf8')
  const environment = {
    DATABASE_PASSWORD: 'x',
    OPENAI_API_KEY: 'sk-x',
    GRACE_PASSWORD: 'long enough',
    SLUICE_KEY: Buffer.alloc(32, 9).toString('hex'),
  }

  test('is valid as it is, in an empty environment', () => {
    const { declared } = loaded({ yaml: text })
    expect(declared.models.map((model) => model.name)).toEqual(['demo-chat', 'demo-slow', 'demo-best'])
  })

  test('is valid with everything in it switched on', () => {
    const { declared, settings } = loaded({ yaml: text.replace(/^#(?! \S|$)/gm, ''), environment })
    expect(settings['gateway.idle_seconds']).toBe(30)
    expect(settings['security.secret_key']?.reveal()).toBe(Buffer.alloc(32, 9).toString('base64'))
    expect(declared.providers.map((provider) => provider.name)).toEqual(['demo', 'vendor'])
    expect(declared.users).toHaveLength(2)
  })

  test('holds no key that a person could leave in', () => {
    expect(text).not.toContain(exampleSecretKey)
  })
})

test('only those of the asked variables that are set are found, and they do not print', () => {
  const found = readEnvironment(['A_KEY', 'B_KEY', 'C_KEY', 'toString'], { A_KEY: 'canary', B_KEY: ' ', D_KEY: 'x' })
  expect([...found.keys()]).toEqual(['A_KEY'])
  expect(found.get('A_KEY')?.reveal()).toBe('canary')
  expect(Bun.inspect(found)).not.toContain('canary')
})
