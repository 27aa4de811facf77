/** The version that package.json states. */
import { version as stated } from '../../package.json' with { type: 'json' }

export const version: string = stated
