/** 429 of POST /generate: too much at once. */
import { contract429 } from '#test/support/contract/generation-contract.ts'

contract429('generate')
