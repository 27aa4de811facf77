/** 403 of POST /ai/v1/responses: the model is for others. */
import { deniedModelContract, responsesEndpoint } from '#test/support/contract/dialect-contract.ts'

deniedModelContract(responsesEndpoint)
