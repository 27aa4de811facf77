/** 400 of POST /generate_stream: the request cannot be understood. */
import { contract400 } from '#test/support/contract/generation-contract.ts'

contract400('generate_stream')
