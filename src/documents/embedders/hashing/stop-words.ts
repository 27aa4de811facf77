/**
 * Words that stand in nearly every text of their language and tell nothing about it: the most
 * frequent function words of the languages in which a document is likely to come, without accents.
 */

/** What such a word counts, compared with 1 for any other. */
export const stopWordWeight = 0.08

const words = `
a about after all also an and any are as at be because been but by can could did do does for from had has have he
her his how i if in into is it its me more my no not of on one or other our out over she should so some such than
that the their them then there these they this to up us was we were what when where which who why will with would you
your
der die das den dem des ein eine einer einem einen eines und oder aber ist sind war waren wird werden wurde hat haben
ich du er sie es wir ihr sich nicht mit von zu zum zur im am auf fur aus bei nach uber unter vor wie was wer wo wenn
als auch noch nur so dass diese dieser dieses kann
le la les un une des du de et ou mais est sont etait il elle ils elles je tu nous vous se ne pas que qui quoi dont au
aux en dans par pour sur avec sans ce cet cette ces son sa ses leur plus comme
el los las uno unos unas y o pero es son era fue ser lo su sus al del con sin por para como mas esta este estos que no
si se me te le les nos hay
il lo gli i uno e ma sono era di da del della dei delle al alla nel nella con per che chi non si piu come questo questa
o os as um uma do da dos das em no na nos nas e ou mas sao foi ao aos pelo pela com sem por para que nao se mais como
de het een en van in op te dat die niet zijn was met voor aan er om ook als bij naar uit dan
i w z na do nie to jest sie ze jak od po za o przez dla
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от из о
`

/** Looked up as text, but only words that are short enough. */
const known: ReadonlySet<string> = new Set(words.split(/\s+/).filter((word) => word !== ''))
const lengthMax = Math.max(...[...known].map((word) => word.length))

/** Whether the first `length` code units spell one. */
export function isStopWord(codes: Uint16Array, length: number): boolean {
  if (length > lengthMax) return false
  return known.has(String.fromCharCode(...codes.subarray(0, length)))
}
