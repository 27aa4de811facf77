/** 404 of POST /generate_stream: the consumer group is unknown. */
import { contract404 } from '#test/support/contract/generation-contract.ts'

contract404('generate_stream')
