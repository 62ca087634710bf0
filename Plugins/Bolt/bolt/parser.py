"""The parser of Bolt files."""

import re

from .syntax import Expression, File, Function, Part, Path, Property, Type, TypeExpression
from .text import Mistake, Span

_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_REGEXP = re.compile(r"/((?:[^/\\\n\[]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+)/([A-Za-z]*)")
_LABEL = re.compile(r"[^\s{}/;.#$\[\],()\x00-\x1f\x7f]+")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}

# The binary operators by precedence level, the lowest first. A longer operator precedes its prefixes.
_LEVELS = (("||",), ("&&",), ("===", "!==", "==", "!="), ("<=", ">=", "<", ">"), ("+", "-"), ("*", "/", "%"))
_SAME = {"===": "==", "!==": "!="}

# The maximum nesting of brackets, types and expressions.
DEPTH_MAX = 100
# The maximum number of digits of a number.
_DIGITS_MAX = 64


class Parser:
    """A recursive descent parser for one file."""

    def __init__(self, text):
        self.text = text
        self.at = 0
        self.depth = 0

    # MARK: The file

    def file(self):
        """Parses the file and returns its declarations."""
        functions, types, paths = {}, {}, []
        self._skip()
        while self.at < len(self.text):
            if self.text[self.at] == ";":
                self.at += 1
                self._skip()
                continue
            if self._is_word("type"):
                declared = self._type()
                self._add(types, declared, "type")
            elif self.text[self.at] == "/" or self._is_path_word():
                self._path((), paths)
            else:
                self._add(functions, self._function(), "function")
        return File(functions, types, paths)

    @staticmethod
    def _add(known, declared, kind):
        if declared.name in known:
            raise Mistake(declared.span, f"There are two {kind}s named '{declared.name}'.")
        known[declared.name] = declared

    def _is_path_word(self):
        return self._is_word("path") and not self.text.startswith("(", self._after_word("path"))

    def _function(self):
        if self._is_word("function"):
            self._word("function")
        start = self.at
        name = self._identifier(
            "Expected a function, a type or a path.", "Outside of them nothing can stand: write path /… , type … or name() { … }.")
        span = Span(start, start + len(name))
        return self._rest_of_function(name, span)

    def _rest_of_function(self, name, span):
        if not self._accept("("):
            raise self._mistake(f"The parameters of '{name}' are missing.", f"Write {name}() {{ … }}.")
        parameters = []
        while not self._accept(")"):
            parameters.append(self._identifier("Expected the name of a parameter, or ')'."))
            if not self._accept(","):
                self._expect(")", "Expected ',' or ')'.")
                break
        if len(set(parameters)) < len(parameters):
            raise Mistake(span, f"'{name}' has two parameters of the same name.")
        return Function(name, tuple(parameters), self._body(name), span)

    def _body(self, name):
        if self._accept("="):  # as early versions of the language had it
            body = self._expression()
            self._accept(";")
            return body
        if not self._accept("{"):
            raise self._mistake(f"The body of '{name}' is missing.", "Write one expression in braces: { … }.")
        if self._is_word("return"):
            self._word("return")
        body = self._expression()
        self._accept(";")
        self._expect("}", "Expected '}': a body is one expression.")
        return body

    # MARK: Types

    def _type(self):
        self._word("type")
        start = self.at
        name = self._identifier("The name of the type is missing.")
        span = Span(start, start + len(name))
        parameters = []
        if self._accept("<"):
            while True:
                parameters.append(self._identifier("Expected the name of a type parameter."))
                if not self._accept(","):
                    break
            self._expect(">", "Expected ',' or '>'.")
        if len(set(parameters)) < len(parameters):
            raise Mistake(span, f"'{name}' has two parameters of the same name.")
        base = None
        if self._is_word("extends"):
            self._word("extends")
            base = self._type_expression()
        properties, methods = [], {}
        if self._accept("{"):
            while not self._accept("}"):
                self._member(properties, methods)
                while self._accept(",") or self._accept(";"):
                    pass
        else:
            self._expect(";", "The type's body is missing.", "Write { … }, or ; for an empty body.")
        names = set()
        for declared in properties:
            if declared.name in names:
                raise Mistake(declared.span, f"'{name}' has two properties named '{declared.name}'.")
            names.add(declared.name)
        return Type(name, tuple(parameters), base, tuple(properties), methods, span)

    def _member(self, properties, methods):
        start = self.at
        if self._peek() in ("'", '"'):
            name = self._string()
        else:
            name = self._identifier("Expected a property or a method.", "Write name: Type, or validate() { … }.")
            end = start + len(name)
            if self._peek() == "(":
                return self._add(methods, self._rest_of_function(name, Span(start, end)), "method")
        span = Span(start, self._end())
        self._expect(":", f"Expected ':' and the type of '{name}'.", "A name with other characters needs quotes.")
        properties.append(Property(name, self._type_expression(), span))

    def _type_expression(self):
        start = self.at
        with self._deeper():
            alternatives = [self._single_type()]
            while self._accept("|"):
                alternatives.append(self._single_type())
        if len(alternatives) == 1:
            return alternatives[0]
        return TypeExpression(None, tuple(alternatives), Span(start, self._end()))

    def _single_type(self):
        start = self.at
        name = self._identifier("Expected the name of a type.")
        arguments = []
        if self._accept("<"):
            while True:
                arguments.append(self._type_expression())
                if not self._accept(","):
                    break
            self._expect(">", "Expected ',' or '>'.")
        result = TypeExpression(name, tuple(arguments), Span(start, self._end()))
        depth = 0
        while self._accept("["):
            self._expect("]", "Expected ']'.", "A list of a type is written Type[].")
            span = Span(start, self._end())
            result = TypeExpression("Map", (TypeExpression("String", (), span), result), span)
            depth += 1
            if depth > DEPTH_MAX:
                raise Mistake(span, "This is nested too deeply.")
        return result

    # MARK: Paths

    def _path(self, above, paths):
        if self.text[self.at] != "/":
            self._word("path")
        start = self.at
        if self._peek() != "/":
            raise self._mistake("The path is missing.", "Write path /a/{b} …")
        parts = above + tuple(self._template())
        span = Span(start, self._end())
        kind = None
        if self._is_word("is"):
            self._word("is")
            kind = self._type_expression()
        methods = {}
        paths.append(Path(parts, kind, methods, span))
        if self._accept(";"):
            return
        if not self._accept("{"):
            raise self._mistake("The path's body is missing.", "Write { … }, or ; for an empty body.")
        with self._deeper():
            while not self._accept("}"):
                if self._accept(";"):
                    continue
                if self._peek() == "/" or self._is_path_word():
                    self._path(parts, paths)
                    continue
                start = self.at
                name = self._identifier("Expected a method, a path or '}'.")
                end = start + len(name)
                if self._peek() != "(":
                    raise Mistake(Span(start, end), f"'{name}' is neither a method nor a path.", "Write read() { … } or /name { … }.")
                self._add(methods, self._rest_of_function(name, Span(start, end)), "method")

    def _template(self):
        text, parts = self.text, []
        while text.startswith("/", self.at):
            self.at += 1
            start = self.at
            if start == len(text) or text[start].isspace() or text[start] == ";":
                if parts:
                    raise Mistake(Span(start - 1, start), "A path cannot end with a slash.")
                break
            if text[start] == "{":
                self.at += 1
                self._skip()
                name = self._identifier("Expected the name of the part that is captured.")
                if self._accept("="):
                    self._expect("*", "Expected '*'.")
                if self._peek() != "}":
                    raise self._mistake("Expected '}'.")
                self.at += 1
                parts.append(self._captured(name, Span(start, self.at)))
            elif text[start] == "$":
                match = _IDENTIFIER.match(text, start)
                self.at = match.end()
                parts.append(self._captured(match.group(), Span(start, self.at)))
            else:
                match = _LABEL.match(text, start)
                if not match:
                    raise Mistake(Span(start, start + 1), "A part of the path is empty or has an invalid character.")
                self.at = match.end()
                parts.append(Part(match.group(), None, Span(start, self.at)))
        self._skip()
        return parts

    @staticmethod
    def _captured(name, span):
        label = name if name.startswith("$") else "$" + name
        if len(label) < 2 or "$" in label[1:]:
            raise Mistake(span, f"'{name}' is not a valid name for a part of a path.")
        return Part(label, name, span)

    # MARK: Expressions

    def _expression(self):
        with self._deeper():
            condition = self._binary(0)
            start = self.at
            if not self._accept("?"):
                if self._peek() == "=":
                    raise self._mistake("Expected an expression.", "Write == for equality.")
                return condition
            yes = self._expression()
            self._expect(":", "Expected ':' and what it is otherwise.")
            return Expression("ternary", None, (condition, yes, self._expression()), Span(start, start + 1))

    def _binary(self, level):
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while True:
            start = self.at
            operator = next((one for one in _LEVELS[level] if self.text.startswith(one, start)), None)
            if operator is None:
                return left
            self.at += len(operator)
            self._skip()
            right = self._binary(level + 1)
            left = Expression(
                "binary", _SAME.get(operator, operator), (left, right), Span(start, start + len(operator)))

    def _unary(self):
        start = self.at
        operator = self._peek()
        if operator not in ("!", "-", "+") or operator == "!" and self.text.startswith("!=", start):
            return self._postfix()
        self.at += 1
        self._skip()
        with self._deeper():
            operand = self._unary()
        return operand if operator == "+" else Expression("unary", operator, (operand,), Span(start, start + 1))

    def _postfix(self):
        result = self._primary()
        while True:
            start = self.at
            if self._accept("."):
                start = self.at
                name = self._identifier("Expected the name of a property or a method.")
                result = Expression("member", name, (result,), Span(start, start + len(name)))
            elif self._accept("["):
                key = self._expression()
                self._expect("]", "Expected ']'.")
                result = Expression("index", None, (result, key), Span(start, self._end()))
            elif self._accept("("):
                result = Expression("call", None, (result, *self._list(")")), Span(start, self._end()))
            else:
                return result

    def _list(self, end):
        elements = []
        while not self._accept(end):
            elements.append(self._expression())
            if not self._accept(","):
                self._expect(end, f"Expected ',' or '{end}'.")
                break
        return elements

    def _primary(self):
        start, character = self.at, self._peek()
        if character == "(":
            self.at += 1
            self._skip()
            inner = self._expression()
            self._expect(")", "Expected ')'.")
            return inner
        if character == "[":
            self.at += 1
            self._skip()
            elements = tuple(self._list("]"))
            return Expression("array", None, elements, Span(start, self._end()))
        if character in ("'", '"'):
            value = self._string()
            return Expression("literal", value, (), Span(start, self._end()))
        if character == "/":
            return self._regexp()
        match = _NUMBER.match(self.text, start)
        if match:
            return self._number(match)
        name = self._identifier("Expected an expression.")
        span = Span(start, start + len(name))
        if name in ("true", "false", "null"):
            return Expression("literal", {"true": True, "false": False, "null": None}[name], (), span)
        return Expression("name", name, (), span)

    def _number(self, match):
        digits, span = match.group(), Span(match.start(), match.end())
        if len(digits) > _DIGITS_MAX:
            raise Mistake(span, "This number has too many digits.")
        if digits[:2] in ("0x", "0X"):
            digits = str(int(digits, 16))
        elif re.match("0[0-9]", digits):
            raise Mistake(span, "This number has leading zeros.")
        self.at = match.end()
        if _IDENTIFIER.match(self.text, self.at):
            raise Mistake(span, "A space is missing between the number and the name.")
        self._skip()
        return Expression("number", digits.strip(".") if digits.endswith(".") else digits, (), span)

    def _regexp(self):
        match = _REGEXP.match(self.text, self.at)
        if not match:
            raise self._mistake("This regular expression is not closed.", "Write /…/, with \\/ for a slash in it.")
        span = Span(self.at, match.end())
        if match.group(2) not in ("", "i"):
            raise Mistake(span, f"The regular expression has the modifier '{match.group(2)}'; only i is supported.")
        self.at = match.end()
        self._skip()
        return Expression("regexp", match.group(), (), span)

    def _string(self):
        quote, start = self.text[self.at], self.at
        at, value = start + 1, []
        while True:
            character = self.text[at:at + 1]
            if character in ("", "\n", "\r"):
                raise Mistake(Span(start, at), "The closing quote is missing.")
            at += 1
            if character == quote:
                break
            if character != "\\":
                value.append(character)
                continue
            escape = self.text[at:at + 1]
            at += 1
            if escape in ("x", "u"):
                digits = self.text[at:at + (2 if escape == "x" else 4)]
                if not re.fullmatch(r"[0-9a-fA-F]{2}|[0-9a-fA-F]{4}", digits) or len(digits) != (2 if escape == "x" else 4):
                    raise Mistake(Span(at - 2, at), "The escape needs hexadecimal digits.")
                value.append(chr(int(digits, 16)))
                at += len(digits)
            elif escape in ("", "\n", "\r"):
                raise Mistake(Span(start, at - 1), "The closing quote is missing.")
            else:
                value.append(_ESCAPES.get(escape, escape))
        self.at = at
        # Two escapes may be the halves of a surrogate pair.
        try:
            text = "".join(value).encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise Mistake(Span(start, at), "The string contains half of a surrogate pair.") from None
        self._skip()
        return text

    # MARK: Words

    def _skip(self):
        match = _BLANK.match(self.text, self.at)
        if match:
            self.at = match.end()
        if self.text.startswith("/*", self.at):
            raise Mistake(Span(self.at, self.at + 2), "This comment is not closed.")

    def _peek(self):
        return self.text[self.at:self.at + 1]

    def _end(self):
        """Returns the end of the last token: the white space after it has been skipped already."""
        at = self.at
        while at > 0 and self.text[at - 1].isspace():
            at -= 1
        return at

    def _accept(self, text):
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        self._skip()
        return True

    def _expect(self, text, message, help=None):
        if not self._accept(text):
            raise self._mistake(message, help)

    def _identifier(self, message, help=None):
        match = _IDENTIFIER.match(self.text, self.at)
        if not match:
            raise self._mistake(message, help)
        self.at = match.end()
        self._skip()
        return match.group()

    def _is_word(self, word):
        match = _IDENTIFIER.match(self.text, self.at)
        return bool(match) and match.group() == word

    def _after_word(self, word):
        match = _BLANK.match(self.text, self.at + len(word))
        return match.end() if match else self.at + len(word)

    def _word(self, word):
        self.at += len(word)
        self._skip()

    def _mistake(self, message, help=None):
        return Mistake(Span(self.at, min(self.at + 1, len(self.text))), message, help)

    def _deeper(self):
        return _Level(self)


class _Level:
    """A context manager that counts a level of nesting."""

    def __init__(self, parser):
        self.parser = parser

    def __enter__(self):
        self.parser.depth += 1
        if self.parser.depth > DEPTH_MAX:
            raise self.parser._mistake("This is nested too deeply.")

    def __exit__(self, *_):
        self.parser.depth -= 1
