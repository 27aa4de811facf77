/** 504 of POST /ai/v1/responses: the provider is silent. */
import { responsesEndpoint, silenceContract } from '#test/support/contract/dialect-contract.ts'

silenceContract(responsesEndpoint)
