/** 429 of POST /generate_stream: too much at once. */
import { contract429 } from '#test/support/contract/generation-contract.ts'

contract429('generate_stream')
