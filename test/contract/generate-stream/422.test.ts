/** 422 of POST /generate_stream: a well-formed request that breaks the schema, or that the model cannot honour. */
import { contract422 } from '#test/support/contract/generation-422.ts'

contract422('generate_stream')
