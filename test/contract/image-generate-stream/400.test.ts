/** 400 of POST /image_generate_stream: the request cannot be understood. */
import { contract400 } from '#test/support/contract/generation-contract.ts'

contract400('image_generate_stream')
