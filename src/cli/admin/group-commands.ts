/** `sluice groups …` */
import type { Command } from '../command.ts'
import { tableLines } from '../output.ts'
import { dataCommand, groupByName, userByEmail } from './data-command.ts'
import { listAll, type GroupOnWire, type UserOnWire } from './wire.ts'

const name = { name: 'NAME', sentence: 'The name of the group.' } as const
const emails = { name: 'EMAIL', repeatable: true, sentence: 'The e-mail address of a user.' } as const
const description = { type: 'string', placeholder: 'TEXT', sentence: 'What the group is for.' } as const

const list = dataCommand({
  name: 'groups list',
  summary: 'List groups.',
  async run(client, { output }) {
    const groups = await listAll<GroupOnWire>(client, '/groups')
    const rows = groups.map((group) => [group.name, group.description || '-', group.id])
    output.result(groups, () => tableLines(['name', 'description', 'id'], rows, 'There are no groups.'))
    return 0
  },
})

const add = dataCommand({
  name: 'groups add',
  summary: 'Add a group.',
  positionals: [name],
  flags: { description },
  async run(client, { positionals: [given = ''], flags, output }) {
    const body = { name: given, description: flags.get('description') ?? '' }
    const group = (await client.call('POST', '/groups', body)) as GroupOnWire
    output.result(group, [`Added ${group.name}.`])
    return 0
  },
})

const set = dataCommand({
  name: 'groups set',
  summary: 'Change the name or the description of a group.',
  positionals: [name],
  flags: { name: { type: 'string', placeholder: 'NAME', sentence: 'Its new name.' }, description },
  async run(client, { positionals: [given = ''], flags, output }) {
    const { id } = await groupByName(client, given)
    const body = { name: flags.get('name'), description: flags.get('description') }
    const group = (await client.call('PATCH', `/groups/${id}`, body)) as GroupOnWire
    output.result(group, [`Changed ${group.name}.`])
    return 0
  },
})

const remove = dataCommand({
  name: 'groups remove',
  summary: 'Remove a group; its members lose what only it gave them.',
  positionals: [name],
  async run(client, { positionals: [given = ''], output }) {
    const { id } = await groupByName(client, given)
    await client.call('DELETE', `/groups/${id}`)
    output.result({ removed: id }, [`Removed ${given}.`])
    return 0
  },
})

const members = dataCommand({
  name: 'groups members',
  summary: 'List the members of a group.',
  positionals: [name],
  async run(client, { positionals: [given = ''], output }) {
    const { id } = await groupByName(client, given)
    const users = await listAll<UserOnWire>(client, `/groups/${id}/members`)
    output.result(users, () =>
      tableLines(
        ['e-mail', 'name'],
        users.map((user) => [user.email, user.name]),
        `${given} has no members.`,
      ),
    )
    return 0
  },
})

const addMembers = membershipCommand('add-members', 'PUT', 'Add users to a group.')
const removeMembers = membershipCommand('remove-members', 'DELETE', 'Take users out of a group.')

function membershipCommand(verb: string, method: 'PUT' | 'DELETE', summary: string): Command {
  return dataCommand({
    name: `groups ${verb}`,
    summary,
    positionals: [name, emails],
    async run(client, { positionals: [given = '', ...addresses], output }) {
      const group = await groupByName(client, given)
      const users = await Promise.all(addresses.map((address) => userByEmail(client, address)))
      for (const user of users) await client.call(method, `/users/${user.id}/groups/${group.id}`)
      const done = method === 'PUT' ? 'is in' : 'is not in'
      output.result(
        users,
        users.map((user) => `${user.email} ${done} ${group.name}.`),
      )
      return 0
    },
  })
}

export const groupCommands: readonly Command[] = [list, add, set, remove, members, addMembers, removeMembers]
