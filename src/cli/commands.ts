/** Every command of the command line, in the order of the help. */
import { backupCommand } from './backup.ts'
import type { Command } from './command.ts'
import { configCommands } from './config-commands.ts'
import { dataCommand } from './data-command.ts'
import { generateCommand } from './generate-command.ts'
import { importCommand } from './import-command.ts'
import { keyCommands } from './key-commands.ts'
import { modelCommands } from './model-commands.ts'
import { providerCommands } from './provider-commands.ts'
import { searchCommand } from './search-command.ts'
import { startCommand } from './start.ts'
import { userCommands } from './user-commands.ts'
import { version } from './version.ts'

const openapiCommand = dataCommand({
  name: 'openapi',
  summary: 'Print the OpenAPI document of the HTTP API.',
  async run(client, { output }) {
    const document = await client.call('GET', '/openapi.json')
    output.result(document, [JSON.stringify(document, null, 2)])
    return 0
  },
})

const versionCommand: Command = {
  name: 'version',
  summary: 'Print the version.',
  async run({ output }) {
    output.result({ version }, [version])
    return 0
  },
}

export const commands: readonly Command[] = [
  startCommand,
  ...configCommands,
  ...userCommands,
  ...keyCommands,
  ...providerCommands,
  ...modelCommands,
  generateCommand,
  importCommand,
  searchCommand,
  backupCommand,
  openapiCommand,
  versionCommand,
]
