import { describe, expect, test } from 'bun:test'
import { htmlReader } from './html.ts'

const limits = { textMax: 20_000_000, pagesMax: 1, unpackedBytesMax: 1 }
const read = (html: string) =>
  htmlReader.read({ bytes: Buffer.from(html), name: 'a.html', mediaType: 'text/html', limits, mainText: true })

const sentence = (what: string) => `The ${what} is told here in a sentence that is long enough to be one of a text. `
const told = `<h1>Lynx</h1><p>${sentence('lynx').repeat(3)}</p><p>${sentence('cat').repeat(2)}</p>`
const blocks = ['# Lynx', sentence('lynx').repeat(3).trim(), sentence('cat').repeat(2).trim()]
const links = (count: number) =>
  `<ul>${Array.from({ length: count }, (_each, at) => `<li><a href="/${at}">Other page ${at}</a></li>`).join('')}</ul>`

describe('of a page of the web', () => {
  test.each<[string, string]>([
    ['menus and lists of links', `<div>${links(5)}</div>${told}<h2></h2>${links(4)}`],
    ['what is beside main', `<div><p>Welcome to the site</p></div><main>${told}</main><div><p>Imprint</p></div>`],
    ['what is beside the role main', `<p>Hello</p><div role="main"><div>${told}</div></div><p>Bye</p>`],
    ['what is beside an article', `<p>Breaking news</p><article>${told}</article><p>Read more</p>`],
    [
      'parts that are named so',
      `<div class="cookie-banner"><p>We value you</p></div><div id="sidebar"><p>Ads</p></div>${told}<section class="c-comments comments"><p>First!</p></section>`,
    ],
    ['asides', `${told}<aside><p>Did you know?</p></aside>`],
  ])('%s are left out', async (_what, html) => {
    expect((await read(`<title>Lynx</title><body>${html}`)).text.split('\n\n')).toEqual(blocks)
  })

  test('its own lists of links stay, and so does what is named as content', async () => {
    const html = `<main><div class="share-content">${told}</div><div class="content related">${links(4)}</div></main>`
    expect((await read(html)).text.split('\n\n')).toEqual([
      ...blocks,
      [0, 1, 2, 3].map((at) => `- Other page ${at}`).join('\n'),
    ])
  })

  test('several articles are one text, and a short page is kept as it is', async () => {
    const two = await read(`<article>${told}</article><article>${told}</article>`)
    expect(two.text.split('\n\n')).toEqual([...blocks, ...blocks])
    expect((await read('<aside>An open ocelot.</aside>')).text).toBe('An open ocelot.')
    expect((await read(`<div class="menu">${told}`)).text.split('\n\n')).toEqual(blocks)
  })

  test('the canonical address and the author are stated, and an address of another kind is not', async () => {
    const head = (href: string) =>
      `<head><link rel="Canonical" href="${href}"><meta name="author" content=" Ada  L "><link rel=canonical href=https://two.example/></head>`
    expect((await read(head('https://one.example/a?b') + told)).stated).toEqual({
      canonical_url: 'https://one.example/a?b',
      author: 'Ada L',
    })
    for (const href of ['javascript:alert(1)', '/relative', 'https://'])
      expect((await read(`<link rel=canonical href="${href}">${told}`)).stated).toEqual({})
  })
})

test.each([
  ['a class of spaces', `<div class="${' -'.repeat(100_000)}">${told}`],
  ['classes without end', `${'<div class="related menu">'.repeat(100_000)}${told}`],
  ['links in links', `${'<a href=x>'.repeat(100_000)}${told}`],
  ['mains in mains', `${'<main><div role=main>'.repeat(50_000)}${told}`],
  ['a hundred thousand links', links(100_000) + told],
])('%s costs no more than the page is long', async (_what, html) => {
  expect((await read(html)).text).toContain('The lynx is told here')
})
