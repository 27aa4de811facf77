/** Whether a client takes an encoding of the answer. RFC 9110, 12.5.3: `;q=0` refuses it. */
export function takesEncoding(acceptEncoding: string, encoding: string): boolean {
  const offer = acceptEncoding.split(',').find((each) => each.split(';')[0]?.trim().toLowerCase() === encoding)
  return offer !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(offer)
}
