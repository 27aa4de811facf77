/** 404 of POST /ai/v1/audio/translations: no such model, or a provider without the endpoint. */
import { notFoundContract } from '#test/support/contract/endpoint-contract.ts'

notFoundContract('audio/translations')
