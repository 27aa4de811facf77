/** 502 of POST /ai/v1/responses: the provider failed. */
import { responsesEndpoint, upstreamFailureContract } from '#test/support/dialect-contract.ts'

upstreamFailureContract(responsesEndpoint)
