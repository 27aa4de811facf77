/** 401 of POST /generate: who is calling. */
import { contract401 } from '#test/support/generation-contract.ts'

contract401('generate')
