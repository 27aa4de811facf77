/** Commands that work through the admin API, and how they find what is called by a name. */
import { nearestName } from '#config/nearest.ts'
import { openAdminClient, serverFlags, type AdminClient } from './admin-client.ts'
import { CommandFailure, type Command, type ExitCode, type Flag, type Invocation } from '../command.ts'
import { listAll, type GroupOnWire, type ModelOnWire, type ProviderOnWire, type UserOnWire } from './wire.ts'

interface DataCommand extends Omit<Command, 'run' | 'flags'> {
  /** None has the name of one that says which server. */
  readonly flags?: Readonly<Record<string, Flag>> & { readonly [name in keyof typeof serverFlags]?: never }
  readonly run: (client: AdminClient, invocation: Invocation) => Promise<ExitCode>
}

/** The command with the flags that say which server, and a client that is open while it runs. */
export function dataCommand({ run, flags, ...record }: DataCommand): Command {
  return {
    ...record,
    flags: { ...flags, ...serverFlags },
    async run(invocation) {
      await using client = await openAdminClient(invocation.flags)
      return await run(client, invocation)
    },
  }
}

/** The user with this address. Throws CommandFailure. */
export async function userByEmail(client: AdminClient, email: string): Promise<UserOnWire> {
  const matches = await listAll<UserOnWire>(client, `/users?email=${encodeURIComponent(email)}`)
  const user = matches.find((candidate) => candidate.email === email.toLowerCase())
  if (user === undefined) throw new CommandFailure(`There is no user "${email}". "sluice users list" shows all.`)
  return user
}

/** The provider of this name. Throws CommandFailure. */
export async function providerByName(client: AdminClient, name: string): Promise<ProviderOnWire> {
  return named(await listAll<ProviderOnWire>(client, '/providers'), name, 'provider')
}

/** The model of this name. Throws CommandFailure. */
export async function modelByName(client: AdminClient, name: string): Promise<ModelOnWire> {
  return named(await listAll<ModelOnWire>(client, '/models'), name, 'model')
}

/** The group of this name. Throws CommandFailure. */
export async function groupByName(client: AdminClient, name: string): Promise<GroupOnWire> {
  return named(await listAll<GroupOnWire>(client, '/groups'), name, 'group')
}

/** Ids of the groups of these names. Throws CommandFailure. */
export async function groupIds(client: AdminClient, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return []
  const groups = await listAll<GroupOnWire>(client, '/groups')
  return names.map((name) => named(groups, name, 'group').id)
}

function named<T extends { readonly name: string }>(items: readonly T[], name: string, what: string): T {
  const found = items.find((item) => item.name === name)
  if (found !== undefined) return found
  const names = items.map((item) => item.name)
  const nearest = nearestName(name, names)
  const advice = nearest === null ? `There are: ${names.join(', ') || 'none'}.` : `Did you mean ${nearest}?`
  throw new CommandFailure(`There is no ${what} "${name}". ${advice}`)
}
