/** The look of the documentation page: light and dark, and narrow screens down to 320 px. */
export const docsPageStyle = `
:root { color-scheme: light dark; --text: light-dark(#1c2127, #e4e7eb); --soft: light-dark(#57606a, #9aa4af); --ground: light-dark(#ffffff, #14171b); --panel: light-dark(#f5f6f8, #1d2126); --line: light-dark(#d8dde3, #333a42); --link: light-dark(#0550ae, #79b8ff); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground); display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem; background: var(--panel); border-right: 1px solid var(--line); font-size: .8125rem; }
nav .title { font-size: 1rem; font-weight: 600; }
nav h2 { font-size: .8125rem; margin: 1.25rem 0 .25rem; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .25rem 0; text-decoration: none; color: inherit; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; }
main { padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 64rem; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
h1 { font-size: 1.75rem; margin: 0 0 .5rem; }
h2 { font-size: 1.375rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.0625rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h4 { font-size: .875rem; margin: 1rem 0 .25rem; color: var(--soft); }
section { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem; margin: 1rem 0; scroll-margin-top: 1rem; }
.access { color: var(--soft); font-size: .875rem; }
.method { display: inline-block; min-width: 3.6em; font: 600 .75rem/1.6 ui-monospace, monospace; }
.GET { color: light-dark(#0550ae, #79b8ff); } .POST { color: light-dark(#116329, #7ee08a); } .PUT, .PATCH { color: light-dark(#7a4a00, #f0b458); } .DELETE { color: light-dark(#a40e26, #ff938a); }
code, pre { font: .875em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--panel); border-radius: 6px; padding: .75rem 1rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th { text-align: left; color: var(--soft); font-weight: 500; }
td, th { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td.status { overflow-wrap: normal; width: 4rem; font-weight: 600; }
em { color: var(--soft); font-size: .8125rem; white-space: nowrap; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } }
@media (max-width: 34rem) { table, tbody, tr, td { display: block; } thead { display: none; } td { border: 0; padding: 0; } tr { border-bottom: 1px solid var(--line); padding: .5rem 0; } section { padding: .75rem; } }
`
