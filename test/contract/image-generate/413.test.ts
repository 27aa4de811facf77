/** 413 of POST /image_generate: the image or the body is too large. */
import { contract413 } from '#test/support/contract/generation-images.ts'

contract413('image_generate')
