/** 499 of POST /generate_stream: the client has gone. */
import { contract499 } from '#test/support/contract/generation-contract.ts'

contract499('generate_stream')
