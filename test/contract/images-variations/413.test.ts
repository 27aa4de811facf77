/** 413 of POST /ai/v1/images/variations. */
import { largeFormContract } from '#test/support/contract/bad-forms.ts'

largeFormContract('images/variations')
