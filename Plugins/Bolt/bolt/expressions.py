"""Translates Bolt expressions to expressions of the rules language. Function calls are replaced by the body of the function, and
parameters by the arguments."""

from collections import namedtuple

from .code import (
    ANY, AUTH, CONDITION, EQUALITY, NUMBER, POSTFIX, PRODUCT, REFERENCE, REGEXP, RELATION, STRING, SUM, TERNARY, UNARY, Code,
    binary, both, call, either, negation, string, suffix, truth, word)
from .functions import SNAPSHOT_FUNCTIONS, TEXT_FUNCTIONS
from .text import Mistake

# The scope of an expression. method: the kind of rule. location: the labels from the root down. this: the key as code in a
# condition for keys; None where this is the data. names: the arguments of the enclosing function. captures: the captures of the
# path. parts: the parts of the path and the wild properties by their names with $, which functions and types see as well.
# calls: the functions that are being expanded.
Scope = namedtuple("Scope", "method location this names captures parts calls")

# An argument: its expression, the scope in which it was written, and whether it is inside of prior().
Argument = namedtuple("Argument", "expression scope is_prior")

# Results of evaluation that are no values: a function, declared in the file or built in, and a list.
Callable = namedtuple("Callable", "name function")
List = namedtuple("List", "elements span")

# The maximum number of translated expressions of one file; each takes some microseconds.
STEPS_MAX = 150_000
# The maximum nesting of expressions, including those in called functions.
DEPTH_MAX = 300

# Methods of strings that have another name in the rules language.
_STRING_METHODS = {"includes": "contains", "startsWith": "beginsWith"}
# Variables of the rules language that an expression may use, unless the file declares the name.
_OWN_WORDS = {"data": REFERENCE, "newData": REFERENCE, "query": AUTH}
_ARITHMETIC = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT}
_EQUALITY = ("==", "!=")
_BUILT_IN = ("prior", "key")


class Translator:
    """A translator of the expressions of one file."""

    def __init__(self, functions):
        self.functions = functions
        self.steps = 0
        self.depth = 0

    def condition(self, expression, scope):
        """Translates an expression that has to be a condition."""
        return self._condition(expression, scope, False)

    @staticmethod
    def strings(expression):
        """Returns the strings of a list, or a single string, with their spans."""
        elements = expression.parts if expression.kind == "array" else (expression,)
        for element in elements:
            if element.kind != "literal" or not isinstance(element.value, str):
                raise Mistake(element.span, "An index must be a string or a list of strings.")
        return [(element.value, element.span) for element in elements]

    # MARK: Kinds

    def _condition(self, expression, scope, is_prior):
        code = self._code(self._evaluate(expression, scope, is_prior), expression)
        if code.kind == CONDITION:
            return code
        if code.kind == REFERENCE:
            code = suffix(code, ".val()", ANY, code.span)
        if code.kind == ANY:
            return binary("==", code, truth(True, code.span), EQUALITY, CONDITION, code.span)
        if code.kind == AUTH:
            raise Mistake(expression.span, "This is an object, not a condition.", "Compare it, or one of its members: auth != null.")
        raise Mistake(expression.span, f"This is a {code.kind}, not a condition.", "Compare it with something.")

    def _value(self, expression, scope, is_prior):
        return self._as_value(self._evaluate(expression, scope, is_prior), expression)

    def _as_value(self, value, expression):
        code = self._code(value, expression)
        if code.kind == REGEXP:
            raise Mistake(expression.span, "A regular expression is only allowed in test(…) and matches(…).")
        return suffix(code, ".val()", ANY, code.span) if code.kind == REFERENCE else code

    @staticmethod
    def _code(value, expression):
        if isinstance(value, Callable):
            raise Mistake(expression.span, f"'{value.name}' is a function and must be called.", f"Write {value.name}(…).")
        if isinstance(value, List):
            raise Mistake(expression.span, "A list is only allowed in index().")
        return value

    # MARK: Expressions

    def _evaluate(self, expression, scope, is_prior):
        self.steps += 1
        if self.steps > STEPS_MAX:
            raise Mistake(expression.span, "The rules become too long here.", "Every call of a function inserts its whole text.")
        if self.depth == DEPTH_MAX:
            raise Mistake(expression.span, "This is nested too deeply, including the functions that it calls.")
        self.depth += 1
        try:
            return getattr(self, "_" + expression.kind)(expression, scope, is_prior)
        finally:
            self.depth -= 1

    def _literal(self, expression, _scope, _is_prior):
        if isinstance(expression.value, bool):
            return truth(expression.value, expression.span)
        if expression.value is None:
            return word("null", ANY, expression.span)
        return string(expression.value, expression.span)

    def _number(self, expression, _scope, _is_prior):
        return word(expression.value, NUMBER, expression.span)

    def _regexp(self, expression, _scope, _is_prior):
        return word(expression.value, REGEXP, expression.span)

    def _array(self, expression, scope, is_prior):
        return List([self._value(part, scope, is_prior) for part in expression.parts], expression.span)

    def _name(self, expression, scope, is_prior):
        name, span = expression.value, expression.span
        if name in scope.names:
            argument = scope.names[name]
            value = self._evaluate(argument.expression, argument.scope, is_prior or argument.is_prior)
            # The span is that of the parameter, so that a mistake is reported where the parameter is used.
            if isinstance(value, Code):
                self.steps += value.size >> 6
                value = Code([(str(value), span)], value.level, value.kind, span, value.constant)
            return value
        if name in scope.captures:
            return word(scope.captures[name], STRING, span)
        if name == "this":
            return scope.this or word(_data(scope, is_prior), REFERENCE, span)
        if name == "root":
            return _root(scope, is_prior, span)
        if name == "auth":
            return word("auth", AUTH, span)
        if name == "now":
            return word("now", NUMBER, span)
        if name in self.functions:
            return Callable(name, self.functions[name])
        if name in _BUILT_IN:
            return Callable(name, None)
        if name in scope.parts:
            return self._part(name, scope, span)
        if name in _OWN_WORDS:
            return word(name, _OWN_WORDS[name], span)
        raise Mistake(
            span, f"Unknown name '{name}'.",
            f"Write this.{name} for a property. A part of the path is only available in methods of the path and of its type.")

    @staticmethod
    def _part(name, scope, span):
        """Returns a part of the path by its name with $. Raises Mistake when the rules have another name for it here."""
        if scope.parts[name] not in (name, scope.captures.get(name[1:])):
            raise Mistake(
                span, f"'{name}' has another name in the rules, from another path or type of the same location.",
                "In a function, pass the part to the function; in a type, use key().")
        return word(scope.parts[name], STRING, span)

    def _member(self, expression, scope, is_prior):
        name, span = expression.value, expression.span
        base = self._code(self._evaluate(expression.parts[0], scope, is_prior), expression.parts[0])
        if name == "length" and base.kind in (REFERENCE, STRING, ANY):
            return suffix(self._as_value(base, expression), ".length", NUMBER, span)
        if base.kind == REFERENCE:
            return call(base, "child", [string(name, span)], REFERENCE, span)
        if base.kind in (AUTH, ANY):
            return suffix(base, "." + name, ANY, span)
        raise Mistake(span, f"A {base.kind} has no '{name}'.")

    def _index(self, expression, scope, is_prior):
        base = self._code(self._evaluate(expression.parts[0], scope, is_prior), expression.parts[0])
        key = self._value(expression.parts[1], scope, is_prior)
        if expression.parts[1].kind == "number":
            key = string(expression.parts[1].value, expression.parts[1].span)
        if base.kind == REFERENCE:
            return call(base, "child", [key], REFERENCE, expression.span)
        if base.kind in (AUTH, ANY):
            return Code([base.within(POSTFIX), ("[", expression.span), key, ("]", expression.span)], POSTFIX, ANY, expression.span)
        raise Mistake(expression.span, f"A {base.kind} has no members.")

    def _unary(self, expression, scope, is_prior):
        if expression.value == "!":
            return negation(self._condition(expression.parts[0], scope, is_prior), expression.span)
        operand = self._value(expression.parts[0], scope, is_prior)
        # Two consecutive minus signs would be another operator.
        operand = operand.within(POSTFIX)
        return Code([("-", expression.span), operand], UNARY, NUMBER, expression.span)

    def _binary(self, expression, scope, is_prior):
        operator, span = expression.value, expression.span
        left, right = expression.parts
        if operator in ("&&", "||"):
            join = both if operator == "&&" else either
            return join(self._condition(left, scope, is_prior), self._condition(right, scope, is_prior), span)
        left, right = self._value(left, scope, is_prior), self._value(right, scope, is_prior)
        if operator in _ARITHMETIC:
            kind = NUMBER
            if operator == "+":
                kind = STRING if STRING in (left.kind, right.kind) else NUMBER if left.kind == right.kind == NUMBER else ANY
            return binary(operator, left, right, _ARITHMETIC[operator], kind, span)
        return binary(operator, left, right, EQUALITY if operator in _EQUALITY else RELATION, CONDITION, span)

    def _ternary(self, expression, scope, is_prior):
        condition, yes, no = expression.parts
        condition = self._condition(condition, scope, is_prior)
        yes, no = self._value(yes, scope, is_prior), self._value(no, scope, is_prior)
        kind = yes.kind if yes.kind == no.kind else ANY
        span = expression.span
        return Code(
            [condition.within(TERNARY + 1), (" ? ", span), yes.within(TERNARY + 1), (" : ", span), no.within(TERNARY + 1)],
            TERNARY, kind, span)

    # MARK: Calls

    def _call(self, expression, scope, is_prior):
        callee, arguments = expression.parts[0], expression.parts[1:]
        if callee.kind == "member":
            return self._method(callee, arguments, scope, is_prior)
        value = self._evaluate(callee, scope, is_prior)
        if not isinstance(value, Callable):
            raise Mistake(callee.span, "This is not a function.")
        if value.function is None:
            return self._built_in(value.name, expression, arguments, scope)
        function = value.function
        if len(arguments) != len(function.parameters):
            raise Mistake(
                callee.span, f"'{function.name}' takes {_count(len(function.parameters))}, not {len(arguments)}.")
        if any(one is function for one in scope.calls):
            raise Mistake(callee.span, f"'{function.name}' is recursive: it calls itself, directly or through other functions.")
        names = {
            name: Argument(argument, scope, is_prior) for name, argument in zip(function.parameters, arguments)}
        inner = Scope(scope.method, scope.location, scope.this, names, {}, scope.parts, scope.calls + (function,))
        return self._evaluate(function.body, inner, is_prior)

    def _built_in(self, name, expression, arguments, scope):
        if name == "prior":
            if len(arguments) != 1:
                raise Mistake(expression.span, f"'prior' takes one argument, not {len(arguments)}.")
            return self._evaluate(arguments[0], scope, True)
        if arguments:
            raise Mistake(expression.span, "'key' takes no arguments.")
        if not scope.location:
            raise Mistake(expression.span, "The root has no key.")
        label = scope.location[-1]
        return word(label, STRING, expression.span) if label.startswith("$") else string(label, expression.span)

    def _method(self, callee, arguments, scope, is_prior):
        name, span = callee.value, callee.span
        base = self._code(self._evaluate(callee.parts[0], scope, is_prior), callee.parts[0])
        if base.kind == REFERENCE and name in SNAPSHOT_FUNCTIONS:
            kind, count = SNAPSHOT_FUNCTIONS[name]
            self._need(count, arguments, callee)
            return call(base, name, [self._value(argument, scope, is_prior) for argument in arguments], kind, span)
        if base.kind == REFERENCE and name == "hasChildren":
            return call(base, name, self._children(arguments, callee, scope, is_prior), CONDITION, span)
        if base.kind not in (REFERENCE, STRING, ANY):
            raise Mistake(span, f"A {base.kind} has no method '{name}'.")
        base = self._as_value(base, callee)
        if name in ("test", "matches"):
            self._need(1, arguments, callee)
            pattern = self._evaluate(arguments[0], scope, is_prior)
            if not isinstance(pattern, Code) or pattern.kind != REGEXP:
                raise Mistake(arguments[0].span, f"'{name}' takes a regular expression: /^[a-z]+$/.")
            return call(base, "matches", [pattern], CONDITION, span)
        method = _STRING_METHODS.get(name, name)
        if method not in TEXT_FUNCTIONS:
            raise Mistake(span, f"Unknown method '{name}'.", "Call a function without a dot: name(this).")
        kind, count = TEXT_FUNCTIONS[method]
        self._need(count, arguments, callee)
        return call(base, method, [self._value(argument, scope, is_prior) for argument in arguments], kind, span)

    def _children(self, arguments, callee, scope, is_prior):
        if not arguments:
            return []
        self._need(1, arguments, callee)
        names = self._evaluate(arguments[0], scope, is_prior)
        if not isinstance(names, List):
            raise Mistake(callee.span, "'hasChildren' takes a list of names.")
        parts = [("[", callee.span)]
        for index, name in enumerate(names.elements):
            parts += [(", ", callee.span), name] if index else [name]
        return [Code(parts + [("]", callee.span)], POSTFIX, ANY, callee.span)]

    @staticmethod
    def _need(count, arguments, callee):
        if len(arguments) != count:
            raise Mistake(callee.span, f"'{callee.value}' takes {_count(count)}, not {len(arguments)}.")


def _data(scope, is_prior):
    return "data" if is_prior or scope.method == "read" else "newData"


def _root(scope, is_prior, span):
    if is_prior or scope.method == "read":
        return word("root", REFERENCE, span)
    # root in the rules language is the data before the write.
    return word("newData" + ".parent()" * len(scope.location), REFERENCE, span)


def _count(count):
    return ("no arguments", "one argument")[count] if count < 2 else f"{count} arguments"
