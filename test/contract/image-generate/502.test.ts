/** 502 of POST /image_generate: the upstream failed, or refused. */
import { contract502 } from '#test/support/contract/generation-contract.ts'

contract502('image_generate')
