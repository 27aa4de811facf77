/** 429 of POST /image_generate: too much at once. */
import { contract429 } from '#test/support/contract/generation-contract.ts'

contract429('image_generate')
