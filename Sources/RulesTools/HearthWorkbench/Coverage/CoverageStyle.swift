/// The style sheet of the coverage page.
enum CoverageStyle {
  static let css = """
    :root { color-scheme: light dark; --text: #1d2433; --soft: #667085; --line: #e4e7ec; --page: #fff; --code: #f8f9fb;
      --good: #12805c; --good-back: #d9f2e6; --half: #a15c07; --half-back: #fdecc8; --none: #b42318; --none-back: #fde0dd; }
    @media (prefers-color-scheme: dark) { :root { --text: #e6e9ef; --soft: #98a2b3; --line: #2c3442; --page: #12161d;
      --code: #191f29; --good: #6ce9b2; --good-back: #11392b; --half: #fdc668; --half-back: #45310d; --none: #ff9b91;
      --none-back: #4c1d1a; } }
    body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 2em auto;
      max-width: 75em; padding: 0 1.5em; }
    h1 { font-size: 1.5em; margin: 0; } h2 { font: 600 1.05em ui-monospace, monospace; margin: 2em 0 .3em; }
    pre, code, td { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
    .meter { display: inline-block; width: 9em; height: .6em; background: var(--none-back); border-radius: .3em;
      overflow: hidden; vertical-align: baseline; } .meter i { display: block; height: 100%; background: var(--good); }
    .key span { padding: .1em .5em; border-radius: .3em; margin-right: .4em; font-size: .87em; }
    .source { display: grid; grid-template-columns: auto 1fr; background: var(--code); border: 1px solid var(--line);
      border-radius: .5em; overflow-x: auto; margin: .8em 0; }
    .source pre { margin: 0; padding: .8em; line-height: 1.75; }
    .numbers { color: var(--soft); text-align: right; border-right: 1px solid var(--line); user-select: none; }
    .both { background: var(--good-back); } .half { background: var(--half-back); } .none { background: var(--none-back); }
    .source span { border-radius: .2em; } .source span.half, .source span.none { border-bottom: 2px solid; padding-bottom: 1px; }
    .source .half { border-color: var(--half); } .source .none { border-color: var(--none); }
    .source em { font: 600 11px system-ui, sans-serif; margin-left: .6em; padding: .1em .5em; border-radius: 1em; }
    em.both { color: var(--good); } em.half { color: var(--half); } em.none { color: var(--none); }
    details { border: 1px solid var(--line); border-radius: .5em; margin: .4em 0; padding: .4em .8em; }
    summary { cursor: pointer; } .at { color: var(--soft); font-size: .87em; margin: 0 .4em; }
    table { border-collapse: collapse; width: 100%; margin: .5em 0; } th { font-weight: 600; font-size: .8em;
      color: var(--soft); text-align: right; padding: .2em .7em; } th:first-child { text-align: left; }
    td { padding: .2em .7em; text-align: right; border-top: 1px solid var(--line); }
    td:first-child { text-align: left; white-space: pre-wrap; word-break: break-word; } tr { background: none !important; }
    tr.half td:first-child code { color: var(--half); } tr.none td:first-child code { color: var(--none); }
    td.zero { color: var(--none); font-weight: 700; background: var(--none-back); }
    """
}
