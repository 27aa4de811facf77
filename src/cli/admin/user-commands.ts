/** `sluice users …` */
import { oneTimePassword } from '#setup/one-time-password.ts'
import { UsageProblem, type Command, type GivenFlags } from '../command.ts'
import { dataCommand, groupIds, userByEmail } from './data-command.ts'
import { tableLines } from '../output.ts'
import { listAll, type InvitationOnWire, type UserOnWire } from './wire.ts'

const email = { name: 'EMAIL', sentence: 'The e-mail address of the user.' } as const
const permanent = {
  type: 'boolean',
  sentence: 'The user need not choose another password at the first sign-in.',
} as const
const passwordStdin = {
  type: 'boolean',
  sentence: 'Read the password from standard input instead of making one up.',
} as const

const list = dataCommand({
  name: 'users list',
  summary: 'List users.',
  flags: { service: { type: 'boolean', sentence: 'Only service accounts.' } },
  async run(client, { flags, output }) {
    const users = await listAll<UserOnWire>(client, flags.has('service') ? '/users?kind=service' : '/users')
    const rows = users.map(({ email: address, name, role, kind, disabled }) => [
      address,
      name,
      role,
      kind,
      disabled ? 'disabled' : 'enabled',
    ])
    output.result(users, () => tableLines(['e-mail', 'name', 'role', 'kind', 'state'], rows, 'There are no users.'))
    return 0
  },
})

const add = dataCommand({
  name: 'users add',
  summary: 'Add a user and print a password, this once.',
  positionals: [email],
  flags: {
    name: { type: 'string', placeholder: 'TEXT', sentence: 'Shown in the console.' },
    role: { type: 'string', placeholder: 'ROLE', sentence: 'Either admin or user; user when left out.' },
    group: { type: 'string', placeholder: 'NAME', repeatable: true, sentence: 'A group that the user is to be in.' },
    'password-stdin': passwordStdin,
    permanent,
    'no-password': { type: 'boolean', sentence: 'The user cannot sign in, and only API keys work.' },
    service: { type: 'boolean', sentence: 'A service account: of a program, which never signs in.' },
  },
  async run(client, { positionals: [address], flags, output }) {
    const groups = await groupIds(client, flags.all('group'))
    const isService = flags.has('service')
    const password = isService || flags.has('no-password') ? null : await newPassword(flags)
    const user = (await client.call('POST', '/users', {
      email: address,
      name: flags.get('name') ?? '',
      role: flags.get('role') ?? 'user',
      ...(isService && { kind: 'service' }),
      ...(password !== null && { password: password.text, temporary: !flags.has('permanent') }),
    })) as UserOnWire
    for (const group of groups) await client.call('PUT', `/users/${user.id}/groups/${group}`)
    const shown = password?.madeUp === true ? password.text : null
    output.result({ ...user, password: shown }, [`Added ${user.email}.`, ...passwordLines(shown)])
    return 0
  },
})

const disable = switchCommand('disable', 'Disable a user: sign-in and all keys are refused at once.')
const enable = switchCommand('enable', 'Enable a user again.')

function switchCommand(verb: 'disable' | 'enable', summary: string): Command {
  return dataCommand({
    name: `users ${verb}`,
    summary,
    positionals: [email],
    async run(client, { positionals: [address = ''], output }) {
      const { id } = await userByEmail(client, address)
      const user = (await client.call('PATCH', `/users/${id}`, { disabled: verb === 'disable' })) as UserOnWire
      output.result(user, [`${user.email} is ${verb}d.`])
      return 0
    },
  })
}

const resetPassword = dataCommand({
  name: 'users reset-password',
  summary: 'Give a user a new password and print it, this once; all sessions end.',
  positionals: [email],
  flags: { 'password-stdin': passwordStdin, permanent },
  async run(client, { positionals: [address = ''], flags, output }) {
    const user = await userByEmail(client, address)
    const password = await newPassword(flags)
    await client.call('POST', `/users/${user.id}/password`, {
      password: password.text,
      temporary: !flags.has('permanent'),
    })
    const shown = password.madeUp ? password.text : null
    output.result({ id: user.id, email: user.email, password: shown }, [
      `${user.email} has a new password.`,
      ...passwordLines(shown),
    ])
    return 0
  },
})

const invite = dataCommand({
  name: 'users invite',
  summary: 'Make a link by which a user chooses a password, and print it, this once.',
  positionals: [email],
  flags: {
    hours: { type: 'string', placeholder: 'NUMBER', sentence: 'How long the link works: 1 to 720, 72 when left out.' },
  },
  async run(client, { positionals: [address = ''], flags, output }) {
    const user = await userByEmail(client, address)
    const hours = flags.get('hours')
    const body = hours === undefined ? {} : { hours: Number(hours) }
    const made = (await client.call('POST', `/users/${user.id}/invitation`, body)) as InvitationOnWire
    output.result(made, [
      `${user.email} chooses a password at this path of the server, until ${made.expires_at}:`,
      made.path,
    ])
    return 0
  },
})

const withdraw = dataCommand({
  name: 'users withdraw-invitation',
  summary: 'End the link by which a user could choose a password.',
  positionals: [email],
  async run(client, { positionals: [address = ''], output }) {
    const user = await userByEmail(client, address)
    await client.call('DELETE', `/users/${user.id}/invitation`)
    output.result({ withdrawn: user.id }, [`${user.email} has no invitation.`])
    return 0
  },
})

const signOut = dataCommand({
  name: 'users sign-out',
  summary: 'End all sessions of a user in browsers.',
  positionals: [email],
  async run(client, { positionals: [address = ''], output }) {
    const user = await userByEmail(client, address)
    await client.call('DELETE', `/users/${user.id}/sessions`)
    output.result({ signed_out: user.id }, [`${user.email} is signed out everywhere.`])
    return 0
  },
})

const set = dataCommand({
  name: 'users set',
  summary: 'Change the name, the role, the kind or the e-mail address of a user.',
  positionals: [email],
  flags: {
    name: { type: 'string', placeholder: 'TEXT', sentence: 'Shown in the console.' },
    role: { type: 'string', placeholder: 'ROLE', sentence: 'Either admin or user.' },
    kind: {
      type: 'string',
      placeholder: 'KIND',
      sentence: 'Either person or service; a service account has no password and cannot sign in.',
    },
    email: { type: 'string', placeholder: 'EMAIL', sentence: 'The new address.' },
  },
  async run(client, { positionals: [address = ''], flags, output }) {
    const { id } = await userByEmail(client, address)
    const body = {
      name: flags.get('name'),
      role: flags.get('role'),
      kind: flags.get('kind'),
      email: flags.get('email'),
    }
    const user = (await client.call('PATCH', `/users/${id}`, body)) as UserOnWire
    output.result(user, [`Changed ${user.email}.`])
    return 0
  },
})

const remove = dataCommand({
  name: 'users remove',
  summary: 'Remove a user with all keys and sessions.',
  positionals: [email],
  async run(client, { positionals: [address = ''], output }) {
    const user = await userByEmail(client, address)
    await client.call('DELETE', `/users/${user.id}`)
    output.result({ removed: user.id }, [`Removed ${user.email}.`])
    return 0
  },
})

export const userCommands: readonly Command[] = [
  list,
  add,
  invite,
  withdraw,
  set,
  disable,
  enable,
  resetPassword,
  signOut,
  remove,
]

interface NewPassword {
  readonly text: string
  readonly madeUp: boolean
}

/** Never from the command line, where other users of the machine could read it. */
async function newPassword(flags: GivenFlags): Promise<NewPassword> {
  if (!flags.has('password-stdin')) return { text: oneTimePassword(), madeUp: true }
  const text = (await Bun.stdin.text()).replace(/\r?\n$/, '')
  if (text === '') throw new UsageProblem('--password-stdin found no password on standard input.')
  return { text, madeUp: false }
}

function passwordLines(password: string | null): readonly string[] {
  return password === null ? [] : [`Password, shown this once: ${password}`]
}
