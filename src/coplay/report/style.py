"""Colours and type of our pages, for light and dark screens and for paper; pictures use the same colours."""

from __future__ import annotations

_LIGHT = """--paper: #f6f7f9; --card: #ffffff; --ink: #1b2330; --soft: #5a677a; --line: #d4dae2; --faint: #e9edf2;
  --mark: #1f6fb2; --halo: #1f6fb255; --bad: #c2413b; --good: #2a8a5c; --own: #b07d00;"""
_DARK = """--paper: #10151d; --card: #18202b; --ink: #eef2f7; --soft: #9aa8bb; --line: #354254; --faint: #232d3b;
  --mark: #6cb6f5; --halo: #6cb6f566; --bad: #f2726b; --good: #58c493; --own: #ffd166;"""

PALETTE = f""":root {{ color-scheme: light dark; {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
@media print {{ :root {{ color-scheme: light; {_LIGHT} --paper: #fff; }} }}
"""

# Type has sizes in pixels and places in per cent, so a picture can be stretched without stretching its letters.
CHART = """.chart text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--ink); }
.chart .soft { fill: var(--soft); font-size: 12px; }
.chart .strong { font-weight: 600; }
.chart .end { text-anchor: end; } .chart .middle { text-anchor: middle; }
.chart .grid { stroke: var(--line); stroke-width: 1; } .chart .row { stroke: var(--faint); stroke-width: 1; }
.chart .spread { stroke: var(--halo); stroke-width: 7; stroke-linecap: round; }
.chart .dot { fill: var(--mark); } .chart .dot.own { fill: var(--own); } .chart .dot.bad { fill: var(--bad); }
.chart .dot.unsure { fill: var(--soft); }
.chart .bar { fill: var(--mark); } .chart .bar.bad { fill: var(--bad); }
.chart .outline { fill: none; stroke: var(--own); stroke-width: 1.5; }
.chart .own-line { stroke: var(--own); stroke-width: 1.5; stroke-dasharray: 4 3; }
.chart .learn { stroke-linecap: round; } .chart .seed { stroke-width: 1; opacity: 0.4; }
.chart .mean { stroke-width: 2.5; }
.chart .run0 { stroke: var(--mark); } .chart .run1 { stroke: var(--own); } .chart .run2 { stroke: var(--good); }
.chart .run3 { stroke: var(--bad); } .chart .run4 { stroke: var(--soft); } .chart .again { stroke-dasharray: 5 3; }
.chart text.run0 { fill: var(--mark); } .chart text.run1 { fill: var(--own); } .chart text.run2 { fill: var(--good); }
.chart text.run3 { fill: var(--bad); } .chart text.run4 { fill: var(--soft); } .chart text.strong { stroke: none; }
.chart .curve { stroke: var(--halo); stroke-width: 1.5; } .chart .curve.own { stroke: var(--own); stroke-width: 2.5; }
"""

PAGE = """* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 10px; }
p { margin: 0 0 10px; max-width: 46em; }
.soft { color: var(--soft); } .bad { color: var(--bad); } .good { color: var(--good); }
small, .small { font-size: 0.86rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 18px; margin-top: 16px; }
.first { display: grid; gap: 16px; margin-top: 16px; }
.first section { margin: 0; min-width: 0; }
@media (min-width: 860px) { .first { grid-template-columns: minmax(300px, 5fr) 8fr; } }
.big { font-size: 4.2rem; font-weight: 700; line-height: 1; letter-spacing: -0.03em; }
.big small { font-size: 1.1rem; font-weight: 400; letter-spacing: 0; color: var(--soft); }
.facts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px 16px; margin: 16px 0 0; }
.facts dt { color: var(--soft); font-size: 0.86rem; } .facts dd { margin: 0; font-size: 1.25rem; font-weight: 600; }
.facts dd small { font-weight: 400; color: var(--soft); display: block; }
.scroll { overflow-x: auto; margin-bottom: 10px; /* a shadow at the side where more of the table is */
  background: linear-gradient(90deg, var(--card) 40%, transparent) 0 0 / 36px 100% local,
    linear-gradient(270deg, var(--card) 40%, transparent) 100% 0 / 36px 100% local,
    linear-gradient(90deg, var(--line), transparent) 0 0 / 10px 100% scroll,
    linear-gradient(270deg, var(--line), transparent) 100% 0 / 10px 100% scroll;
  background-repeat: no-repeat; }
table { border-collapse: collapse; min-width: 100%; font-variant-numeric: tabular-nums;
  font-size: 0.92rem; }
th, td { text-align: right; padding: 5px 0 5px 20px; border-bottom: 1px solid var(--faint); white-space: nowrap; }
th { font-weight: 600; color: var(--soft); } th:first-child, td:first-child { text-align: left; padding-left: 0; }
.heat th, .heat td { padding: 3px 7px; } .heat td.name { min-width: 5em; white-space: nowrap; }
.heat th:first-child, .heat td:first-child { padding-left: 0; }
th.words, td.words { white-space: normal; text-align: left; min-width: 15em; }
td.name { white-space: normal; overflow-wrap: anywhere; min-width: 7em; }
.list { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; margin: 0 0 12px; font-size: 0.92rem; }
.list dt { color: var(--soft); overflow-wrap: anywhere; } .list dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 600px) { .big { font-size: 3.4rem; } table { font-size: 0.8rem; } th, td { padding-left: 6px; }
  th { white-space: normal; vertical-align: bottom; } .loose td { white-space: normal; }
  td.name { min-width: 4em; } th.words, td.words { min-width: 6em; } .words ~ td { white-space: normal; }
  .list { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); } }
code, pre { font: 0.88em ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; background: var(--faint); border-radius: 8px; padding: 10px 12px; margin: 0 0 10px; }
svg.chart { display: block; width: 100%; overflow: visible; }
.picture svg { display: block; width: auto; height: auto; max-width: min(100%, 760px); max-height: 520px; }
iframe { width: 100%; max-width: 792px; aspect-ratio: 23 / 20; min-height: 400px; border: 1px solid var(--line);
  border-radius: 8px; margin-top: 10px; }
summary { cursor: pointer; font-weight: 600; margin-top: 10px; } details { margin-bottom: 10px; }
:focus-visible { outline: 2px solid var(--own); outline-offset: 2px; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 3px; background: var(--mark);
  margin: 0 5px 0 0; }
.key.own { background: none; border: 2px solid var(--own); } .key.bad { background: var(--bad); }
@media print { * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 11pt; } section { break-inside: avoid; } details { display: none; }
  main { max-width: none; padding: 0; } .first { grid-template-columns: 5fr 8fr; } }
"""
