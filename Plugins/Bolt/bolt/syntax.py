"""What a file says: its functions, types and paths, and the expressions in them."""

from collections import namedtuple

# kind and value: "literal" with True, False, None, or a str; "number" with its digits; "regexp" with its text; "name" with
# the name; "member" with the name; "unary", "binary" with the operator; "index", "call", "ternary", "array" with None.
# parts are the expressions inside. The span is that of what is its own: a name, an operator.
Expression = namedtuple("Expression", "kind value parts span")

# name is None for a union, whose arguments are its alternatives.
TypeExpression = namedtuple("TypeExpression", "name arguments span")

Function = namedtuple("Function", "name parameters body span")
Property = namedtuple("Property", "name type span")
Type = namedtuple("Type", "name parameters base properties methods span")
# parts are Part; type is None where none is named.
Path = namedtuple("Path", "parts type methods span")
# capture is the name that expressions know the part by; None for a literal part.
Part = namedtuple("Part", "label capture span")
File = namedtuple("File", "functions types paths")
