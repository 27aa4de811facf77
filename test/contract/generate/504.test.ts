/** 504 of POST /generate: the upstream is silent. */
import { contract504 } from '#test/support/contract/generation-contract.ts'

contract504('generate')
