/** 503 of POST /image_generate: nobody can serve. */
import { contract503 } from '#test/support/contract/generation-contract.ts'

contract503('image_generate')
