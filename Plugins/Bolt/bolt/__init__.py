"""A compiler of Bolt, the language for rules of a Realtime Database."""

import sys

from .compiler import Compiler
from .output import Output
from .parser import Parser
from .text import Mistake, Span, Text

__all__ = ["translate"]

# The limits of the parser keep the recursion far below this limit.
sys.setrecursionlimit(20_000)


def translate(source):
    """Returns the answer of the hook rulesSource: rules with their source map, or mistakes."""
    text = Text(source)
    try:
        compiler = Compiler(Parser(source).file())
        root = compiler.compile()
        if compiler.mistakes:
            return {"mistakes": [_report(mistake, text) for mistake in sorted(compiler.mistakes, key=_order)]}
        rules, parts = Output(text).rules(root)
        return {"rules": rules, "map": parts}
    except Mistake as mistake:
        return {"mistakes": [_report(mistake, text)]}


def _order(mistake):
    return mistake.span


def _report(mistake, text):
    line, column, _ = text.location(mistake.span or Span(0, 0))
    report = {"line": line, "column": column, "message": mistake.message}
    if mistake.help:
        report["help"] = mistake.help
    return report
