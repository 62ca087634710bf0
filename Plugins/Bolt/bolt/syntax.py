"""The syntax tree of a file: functions, types, paths, and their expressions."""

from collections import namedtuple

# kind, with its value: "literal" with True, False, None, or a str; "number" with its digits; "regexp" with its text; "name" and
# "member" with the name; "unary" and "binary" with the operator; "index", "call", "ternary" and "array" with None.
# parts are the operands. The span covers the name or operator of the expression, without the operands.
Expression = namedtuple("Expression", "kind value parts span")

# name is None for a union, whose arguments are its alternatives.
TypeExpression = namedtuple("TypeExpression", "name arguments span")

Function = namedtuple("Function", "name parameters body span")
Property = namedtuple("Property", "name type span")
Type = namedtuple("Type", "name parameters base properties methods span")
# parts is a list of Part; type is None when the path has no type.
Path = namedtuple("Path", "parts type methods span")
# capture is the name of the part in expressions, or None for a literal part.
Part = namedtuple("Part", "label capture span")
File = namedtuple("File", "functions types paths")
