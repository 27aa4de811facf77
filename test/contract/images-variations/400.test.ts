/** 400 of POST /ai/v1/images/variations. */
import { badFormContract } from '#test/support/contract/bad-forms.ts'

badFormContract('images/variations')
