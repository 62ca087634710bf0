"""The functions of the rules language that take texts: the kind of the result, and the number of arguments.

Written by `HEARTH_WRITE_LISTS=1` and `FunctionListTests`; do not edit.
"""

from .code import ANY, CONDITION, NUMBER, REFERENCE, STRING  # noqa: F401

SNAPSHOT_FUNCTIONS = {
    "val": (ANY, 0),
    "exists": (CONDITION, 0),
    "isString": (CONDITION, 0),
    "isNumber": (CONDITION, 0),
    "isBoolean": (CONDITION, 0),
    "getPriority": (ANY, 0),
    "child": (REFERENCE, 1),
    "parent": (REFERENCE, 0),
    "hasChild": (CONDITION, 1),
}
TEXT_FUNCTIONS = {
    "contains": (CONDITION, 1),
    "beginsWith": (CONDITION, 1),
    "endsWith": (CONDITION, 1),
    "replace": (STRING, 2),
    "toLowerCase": (STRING, 0),
    "toUpperCase": (STRING, 0),
}
