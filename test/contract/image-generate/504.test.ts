/** 504 of POST /image_generate: the upstream is silent. */
import { contract504 } from '#test/support/contract/generation-contract.ts'

contract504('image_generate')
