/** 403 of POST /generate_stream: the caller may not use the model. */
import { contract403 } from '#test/support/contract/generation-contract.ts'

contract403('generate_stream')
