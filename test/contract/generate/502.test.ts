/** 502 of POST /generate: the upstream failed, or refused. */
import { contract502 } from '#test/support/generation-contract.ts'

contract502('generate')
