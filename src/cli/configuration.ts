/** The configuration of one invocation: its `--config` and `--set`, and all problems in one throw. */
import { loadConfig, type ConfigResult } from '#config/load.ts'
import { problemText } from '#config/problem.ts'
import { StartProblem } from '#setup/start-problem.ts'
import type { GivenFlags } from './command.ts'

export type Configuration = Extract<ConfigResult, { readonly kind: 'ok' }>

/** The checked configuration. Throws StartProblem with a line for each problem. */
export function readConfiguration(flags: Pick<GivenFlags, 'get' | 'all'>): Configuration {
  const result = loadConfig({ configFile: flags.get('config'), overrides: flags.all('set') })
  if (result.kind === 'problems') throw new StartProblem(result.problems.map(problemText))
  return result
}
