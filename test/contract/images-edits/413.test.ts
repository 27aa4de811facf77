/** 413 of POST /ai/v1/images/edits. */
import { largeFormContract } from '#test/support/contract/bad-forms.ts'

largeFormContract('images/edits')
