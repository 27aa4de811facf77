/** 404 of POST /image_generate: the consumer group is unknown. */
import { contract404 } from '#test/support/contract/generation-contract.ts'

contract404('image_generate')
