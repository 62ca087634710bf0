"""Writes the rules with a source map."""

import json

from .nodes import KINDS
from .text import Mistake

# The maximum number of characters of the rules: with the Bolt file and the map, the rules file has 1 MiB at most.
_SIZE_MAX = 900_000


class Output:
    """A writer of a rules file. The file is ASCII, so that its characters are its bytes."""

    def __init__(self, text):
        self.text = text
        self.pieces = []
        self.size = 0
        self.map = []
        self.last = None

    def rules(self, root):
        """Returns the rules file and its map: offset, line, column and width of each part."""
        self._write('{\n  "rules": ')
        self._node(root, (), "  ")
        self._write("\n}\n")
        return "".join(self.pieces), self.map

    def _write(self, piece, span=None, is_new=False):
        if span is not None and (is_new or span != self.last):
            entry = [self.size, *self.text.location(span)]
            # Of two parts that begin at the same byte, the map keeps the inner one.
            if self.map and self.map[-1][0] == self.size:
                self.map[-1] = entry
            else:
                self.map.append(entry)
            self.last = span
        self.pieces.append(piece)
        self.size += len(piece)
        if self.size > _SIZE_MAX:
            raise Mistake(self.last, f"The rules are longer than {_SIZE_MAX} characters.")

    def _node(self, node, location, indent):
        members = []
        for kind in KINDS:
            condition = node.condition(kind)
            if condition is not None and not (kind == "validate" and condition.constant is True):
                members.append((lambda kind=kind, condition=condition: self._rule(kind, condition, node.spans[kind])))
        if node.indexes:
            members.append(lambda: self._indexes(node.indexes))
        for label, child in node.children.items():
            members.append(
                lambda label=label, child=child: self._child(label, child, location, indent))
        if node.closed:
            members.append(lambda: self._others(node, location))
        if not members:
            # A node without rules of its own: any value is valid.
            return self._write('{ ".validate": "true" }')
        self._write("{")
        for index, member in enumerate(members):
            self._write(("," if index else "") + "\n" + indent + "  ")
            member()
        self._write("\n" + indent + "}")

    def _rule(self, kind, condition, span):
        self._write(f'".{kind}": ', span, is_new=True)
        self._write('"', span, is_new=True)
        for text, place in condition:
            self._write(json.dumps(text)[1:-1], place)
        self._write('"')

    def _indexes(self, indexes):
        self._write('".indexOn": [')
        for index, (text, span) in enumerate(indexes):
            self._write((", " if index else ""))
            self._write(json.dumps(text), span)
        self._write("]")

    def _child(self, label, child, location, indent):
        self._write(json.dumps(label) + ": ", child.span)
        self._node(child, location + (label,), indent + "  ")

    def _others(self, node, location):
        wildcard = node.wildcard
        if wildcard:
            span = node.children[wildcard].span
            raise Mistake(
                span, f"'{node.closed.name}' allows only the children that it names, and this path allows any other.",
                f"Give '{node.closed.name}' a property {wildcard}: Any.")
        label = "$other"
        while label in location:
            label += "_"
        self._write(json.dumps(label) + ": ", node.closed.span)
        self._write('{ ".validate": "')
        self._write("false", node.closed.span, is_new=True)
        self._write('" }')
