/** 401 of POST /image_generate: who is calling. */
import { contract401 } from '#test/support/contract/generation-contract.ts'

contract401('image_generate')
