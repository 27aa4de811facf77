/** 499 of POST /image_generate: the client has gone. */
import { contract499 } from '#test/support/contract/generation-contract.ts'

contract499('image_generate')
