/** 502 of POST /ai/v1/responses: the provider failed. */
import { responsesEndpoint, upstreamFailureContract } from '#test/support/contract/dialect-contract.ts'

upstreamFailureContract(responsesEndpoint)
