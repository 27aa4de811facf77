/** Every command of the command line, in the order of the help. */
import { auditCommands } from './admin/audit-commands.ts'
import { exportCommands } from './admin/export-commands.ts'
import { batchCommands } from './batches/batch-commands.ts'
import { budgetCommands } from './admin/budget-commands.ts'
import type { Command } from './command.ts'
import { configCommands } from './start/config-commands.ts'
import { dataCommand } from './admin/data-command.ts'
import { apiCommand } from './admin/api-command.ts'
import { generateCommand } from './admin/generate-command.ts'
import { groupCommands } from './admin/group-commands.ts'
import { healthCommand } from './start/health.ts'
import { importCommand } from './documents/import-command.ts'
import { indexCommand } from './documents/index-command.ts'
import { embedderCommands } from './documents/embedder-install.ts'
import { keyCommands } from './admin/key-commands.ts'
import { limitCommands } from './admin/limit-commands.ts'
import { modelCommands } from './admin/model-commands.ts'
import { priceCommands } from './admin/price-commands.ts'
import { providerCommands } from './admin/provider-commands.ts'
import { settingCommands } from './admin/setting-commands.ts'
import { syncCommand } from './documents/sync-command.ts'
import { searchCommand } from './documents/search-command.ts'
import { backupCommand, migrateCommand, restoreCommand, startCommand } from './start/server-commands.ts'
import { userCommands } from './admin/user-commands.ts'
import { sourceCommands } from './admin/source-commands.ts'
import { webhookCommands } from './admin/webhook-commands.ts'
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
  ...groupCommands,
  ...keyCommands,
  ...providerCommands,
  ...modelCommands,
  ...limitCommands,
  ...priceCommands,
  ...budgetCommands,
  ...webhookCommands,
  ...sourceCommands,
  ...embedderCommands,
  ...settingCommands,
  ...auditCommands,
  ...exportCommands,
  generateCommand,
  ...batchCommands,
  importCommand,
  syncCommand,
  indexCommand,
  searchCommand,
  migrateCommand,
  healthCommand,
  backupCommand,
  restoreCommand,
  apiCommand,
  openapiCommand,
  versionCommand,
]
