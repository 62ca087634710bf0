"""Generated code in the rules language: pieces, each with the position in the Bolt file that it was made from."""

import re

from .text import Mistake

# Tokens of generated code: strings, regular expressions and names. A name with a leading dot is a property name.
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|(?:^|(?<=\())/(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+/|\.?[A-Za-z_$][A-Za-z0-9_$]*")

# Precedence levels of operators, the lowest first. An operand with a lower level than required is put in parentheses.
TERNARY, OR, AND, EQUALITY, RELATION, SUM, PRODUCT, UNARY, POSTFIX = range(9)

# The kinds of values of an expression.
REFERENCE, CONDITION, STRING, NUMBER, ANY, AUTH, REGEXP = (
    "reference", "condition", "string", "number", "any", "auth", "regexp")

# The maximum number of characters of one rule: enough for real rules, and a bound for functions that repeat their argument.
SIZE_MAX = 200_000


class Code:
    """An expression in the rules language. parts is a list of (text, span) pairs and of nested Code."""

    __slots__ = ("parts", "level", "kind", "constant", "size", "span")

    def __init__(self, parts, level, kind, span, constant=None):
        self.parts, self.level, self.kind, self.constant, self.span = parts, level, kind, constant, span
        self.size = sum(len(part[0]) if isinstance(part, tuple) else part.size for part in parts)
        if self.size > SIZE_MAX:
            raise Mistake(span, "The rule becomes too long here.", "Every call of a function inserts its whole text.")

    def __iter__(self):
        """Iterates over the (text, span) pairs in order."""
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
        """Returns the expression for use as an operand of that precedence level: in parentheses where needed."""
        if self.level >= level:
            return self
        return Code([("(", self.span), self, (")", self.span)], POSTFIX, self.kind, self.span)


def word(text, kind, span):
    """Returns a name or a literal."""
    return Code([(text, span)], POSTFIX, kind, span)


def truth(value, span):
    """Returns the literal true or false."""
    return Code([("true" if value else "false", span)], POSTFIX, CONDITION, span, constant=value)


def string(value, span):
    """Returns a string literal of the rules language."""
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
    """Returns base with the text appended, such as base.val()."""
    return Code([base.within(POSTFIX), (text, span)], POSTFIX, kind, span)


def call(base, name, arguments, kind, span):
    """Returns a call of a method: base.name(arguments)."""
    parts = [base.within(POSTFIX), (f".{name}(", span)]
    for index, argument in enumerate(arguments):
        parts += [(", ", span)] if index else []
        parts.append(argument)
    return Code(parts + [(")", span)], POSTFIX, kind, span)


def binary(operator, left, right, level, kind, span):
    """Returns a left-associative binary operation."""
    return Code([left.within(level), (f" {operator} ", span), right.within(level + 1)], level, kind, span)


def both(left, right, span):
    """Returns left && right for two conditions, simplified when one is constant."""
    if left.constant is True or right.constant is False:
        return right
    if right.constant is True or left.constant is False:
        return left
    return binary("&&", left, right, AND, CONDITION, span)


def either(left, right, span):
    """Returns left || right for two conditions, simplified when one is constant."""
    if left.constant is False or right.constant is True:
        return right
    if right.constant is False or left.constant is True:
        return left
    return binary("||", left, right, OR, CONDITION, span)


def negation(operand, span):
    """Returns the negation of a condition."""
    if operand.constant is not None:
        return truth(not operand.constant, span)
    return Code([("!", span), operand.within(UNARY)], UNARY, CONDITION, span)


def all_of(conditions, span):
    """Returns the conjunction of the conditions: true when there are none."""
    result = truth(True, span)
    for condition in _different(conditions):
        result = both(result, condition, condition.span)
    return result


def any_of(conditions, span):
    """Returns the disjunction of the conditions: false when there are none."""
    result = truth(False, span)
    for condition in _different(conditions):
        result = either(result, condition, condition.span)
    return result


def renamed(piece, names):
    """Returns the code with names replaced: names maps each old name to the text in its place."""
    parts = [(_TOKEN.sub(lambda match: names.get(match.group(), match.group()), text), span) for text, span in piece]
    return Code(parts, piece.level, piece.kind, piece.span, piece.constant)


def _different(conditions):
    """Returns the conditions without duplicates, which arise when a type extends another one."""
    different = {}
    for condition in conditions:
        different.setdefault(str(condition), condition)
    return different.values()
