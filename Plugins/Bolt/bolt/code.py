"""Pieces of the rules' own language, each with the place of the file that it was made of."""

import re

from .text import Mistake

# Texts, regular expressions and names; a name behind a point is that of a property.
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|(?:^|(?<=\())/(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+/|\.?[A-Za-z_$][A-Za-z0-9_$]*")

# How tightly the outermost operator of a piece holds; what holds less is put into parentheses.
TERNARY, OR, AND, EQUALITY, RELATION, SUM, PRODUCT, UNARY, POSTFIX = range(9)

# What a piece comes to.
REFERENCE, CONDITION, STRING, NUMBER, ANY, AUTH, REGEXP = (
    "reference", "condition", "string", "number", "any", "auth", "regexp")

# Characters of one rule: more than anybody writes, and little enough for functions that double what they are given.
SIZE_MAX = 200_000


class Code:
    """An expression of the rules' language. parts are pairs of a text and its span, and other pieces."""

    __slots__ = ("parts", "level", "kind", "constant", "size", "span")

    def __init__(self, parts, level, kind, span, constant=None):
        self.parts, self.level, self.kind, self.constant, self.span = parts, level, kind, constant, span
        self.size = sum(len(part[0]) if isinstance(part, tuple) else part.size for part in parts)
        if self.size > SIZE_MAX:
            raise Mistake(span, "The rule becomes too long here.", "Every call of a function inserts its whole text.")

    def __iter__(self):
        """The texts with their spans, in order."""
        waiting = [iter(self.parts)]
        while waiting:
            part = next(waiting[-1], None)
            if part is None:
                waiting.pop()
            elif isinstance(part, tuple):
                yield part
            else:
                waiting.append(iter(part.parts))

    def __str__(self):
        return "".join(text for text, _ in self)

    def within(self, level):
        """The same as part of something that holds as tightly as this."""
        if self.level >= level:
            return self
        return Code([("(", self.span), self, (")", self.span)], POSTFIX, self.kind, self.span)


def word(text, kind, span):
    """A name, or a literal."""
    return Code([(text, span)], POSTFIX, kind, span)


def truth(value, span):
    """true or false."""
    return Code([("true" if value else "false", span)], POSTFIX, CONDITION, span, constant=value)


def string(value, span):
    """A text as the rules' language writes it."""
    escaped = []
    for character in value:
        if character in "'\\":
            escaped.append("\\" + character)
        elif character < " " or character in "\x7f\u2028\u2029":
            escaped.append("\\u%04x" % ord(character))
        else:
            escaped.append(character)
    return word("'" + "".join(escaped) + "'", STRING, span)


def suffix(base, text, kind, span):
    """Something with .text behind it."""
    return Code([base.within(POSTFIX), (text, span)], POSTFIX, kind, span)


def call(base, name, arguments, kind, span):
    """Something with .name(arguments) behind it."""
    parts = [base.within(POSTFIX), (f".{name}(", span)]
    for index, argument in enumerate(arguments):
        parts += [(", ", span)] if index else []
        parts.append(argument)
    return Code(parts + [(")", span)], POSTFIX, kind, span)


def binary(operator, left, right, level, kind, span):
    """Two operands and what is between them; it holds to the left."""
    return Code([left.within(level), (f" {operator} ", span), right.within(level + 1)], level, kind, span)


def both(left, right, span):
    """left && right, of two conditions."""
    if left.constant is True or right.constant is False:
        return right
    if right.constant is True or left.constant is False:
        return left
    return binary("&&", left, right, AND, CONDITION, span)


def either(left, right, span):
    """left || right, of two conditions."""
    if left.constant is False or right.constant is True:
        return right
    if right.constant is False or left.constant is True:
        return left
    return binary("||", left, right, OR, CONDITION, span)


def negation(operand, span):
    """! of a condition."""
    if operand.constant is not None:
        return truth(not operand.constant, span)
    return Code([("!", span), operand.within(UNARY)], UNARY, CONDITION, span)


def all_of(conditions, span):
    """What is true when every one of them is; true for none."""
    result = truth(True, span)
    for condition in _different(conditions):
        result = both(result, condition, condition.span)
    return result


def any_of(conditions, span):
    """What is true when one of them is; false for none."""
    result = truth(False, span)
    for condition in _different(conditions):
        result = either(result, condition, condition.span)
    return result


def renamed(piece, names):
    """A piece with other texts in the place of some names."""
    parts = [(_TOKEN.sub(lambda match: names.get(match.group(), match.group()), text), span) for text, span in piece]
    return Code(parts, piece.level, piece.kind, piece.span, piece.constant)


def _different(conditions):
    """Types that come from one another say the same again: each condition once."""
    different = {}
    for condition in conditions:
        different.setdefault(str(condition), condition)
    return different.values()
