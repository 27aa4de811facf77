/** 503 of POST /generate_stream: nobody can serve. */
import { contract503 } from '#test/support/contract/generation-contract.ts'

contract503('generate_stream')
