/** docs/configuration.md, made from the records of the settings and the schemas of declared entities. */
import { z } from '#lib/schema.ts'
import { budgetSchema } from './declared/money-forms.ts'
import { compositeSchema, groupSchema, modelSchema, providerSchema, userSchema } from './declared/declared-schema.ts'
import { recordOf, settingNames, variableOf, type SettingName, type SettingRecord } from './settings/records.ts'
import { expectedText } from './settings/value.ts'

const introduction = `# Configuration

Sluice runs without any configuration. Where there is some, these sources are read; each one is stronger than those
above it:

1. the defaults below;
2. values that an administrator stored on the settings page, for settings marked *live*;
3. the configuration file: the one that \`--config FILE\` names, else the one that \`SLUICE_CONFIG\` names, else
   \`sluice.yaml\` in the working directory if there is one;
4. environment variables, a \`.env\` file in the working directory included; a blank one counts as not set;
5. \`--set name=value\` on the command line, any number of times.

A live setting that the file, the environment or the command line gives is shown on the settings page, but cannot be
edited there. The other settings are read at start: changing one takes a restart.

In the file the dots of a name become nesting. \`\${NAME}\` inside any text is replaced by that environment variable,
and \`$\${\` stands for a literal \`\${\`:

\`\`\`yaml
server:
  port: 8080
database:
  url: postgres://sluice:\${DATABASE_PASSWORD}@db.example.org/sluice
\`\`\`

Sluice refuses to start on anything it does not understand, and then lists all problems at once: an unknown name, a
value of the wrong type or out of range, an unset variable. \`sluice check-config\` does the same without starting, and
\`sluice print-config\` shows every value with its source. Secrets are never printed.

Variables of other software whose names begin with \`SLUICE_\` are refused too, except those that the file refers to and
those that Kubernetes sets for a service of that name. A Kubernetes service named \`sluice-server\` would set
\`SLUICE_SERVER_PORT\` to an address: name it otherwise, or set \`enableServiceLinks: false\`.
`

const declaredIntroduction = `## Declared entities

The same file can declare providers, models, composites, groups, users, aliases and budgets. They are written to the database at start and
are read-only in the console. Each name stands once; the names of models and all aliases share one namespace. A name
that is used but not declared (the provider or a group of a model, a component, the model of a redirect or an alias, a
member of a group, what a budget is on) must exist in the database. \`sluice.example.yaml\` shows all of it.
`

const aliasText = `### aliases

A mapping from each alias to the name of a model: \`fast: small-model\`. Aliases may also be written with the model.
`

/** The whole page; the same text for the same tables. */
export function configurationMarkdown(): string {
  const groups = [...new Set(settingNames.map(groupOf))]
  return [
    introduction,
    '## Settings\n',
    ...groups.map(groupText),
    declaredIntroduction,
    entityText('providers', providerSchema),
    entityText('models', modelSchema),
    entityText('composites', compositeSchema),
    entityText('groups', groupSchema),
    entityText('users', userSchema),
    aliasText,
    entityText('budgets', budgetSchema),
  ].join('\n')
}

function groupOf(name: SettingName): string {
  const dot = name.indexOf('.')
  return dot === -1 ? 'Top level' : name.slice(0, dot)
}

function groupText(group: string): string {
  const names = settingNames.filter((name) => groupOf(name) === group)
  return `### ${group}\n\n${names.map(settingText).join('\n')}`
}

function settingText(name: SettingName): string {
  const record = recordOf(name)
  const facts = [
    `takes ${expectedText(record)}`,
    `default ${defaultText(record)}`,
    `example \`${record.example}\``,
    `\`${variableOf(name)}\``,
    record.class === 'live' ? '*live*' : 'restart',
  ]
  return `**\`${name}\`**: ${record.sentence}\\\n${facts.join(' · ')}\n`
}

function defaultText(record: SettingRecord): string {
  if (record.type === 'map') return 'none'
  return record.default === null ? 'none' : `\`${String(record.default)}\``
}

function entityText(section: string, schema: z.ZodType): string {
  // `io: input` describes what is written in the file, before transformations such as sealing a secret.
  const json = z.toJSONSchema(schema, { io: 'input' })
  const required = new Set(json.required)
  const rows = Object.entries(json.properties ?? {}).map(([field, property]) => {
    const { description = '', default: fallback } = property as { description?: string; default?: unknown }
    const without = required.has(field) ? 'required' : fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``
    return `| \`${field}\` | ${without} | ${description} |`
  })
  return `### ${section}\n\n| field | when left out | meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}
