/** 400 of POST /ai/v1/audio/translations. */
import { badFormContract } from '#test/support/contract/bad-forms.ts'

badFormContract('audio/translations')
