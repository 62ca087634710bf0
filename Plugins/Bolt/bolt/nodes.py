"""The tree of places that rules are written for."""

from .code import all_of, any_of

KINDS = ("read", "write", "validate")


class Node:
    """One place: what must all be true for each kind of rule, what is indexed, and the places below."""

    def __init__(self, span):
        self.span = span
        self.conditions = {kind: [] for kind in KINDS}
        # Where each kind of rule is said to be.
        self.spans = {}
        self.indexes = []
        self.children = {}
        # The type that allows no children but those that it names.
        self.closed = None
        # Any type allows everything below.
        self.is_open = False

    def add(self, kind, condition, span):
        """One more condition of a kind."""
        self.conditions[kind].append(condition)
        self.spans.setdefault(kind, span)

    def child(self, label, span):
        """The place below of that name, which is made if need be."""
        if label not in self.children:
            self.children[label] = Node(span)
        return self.children[label]

    @property
    def wildcard(self):
        """The name of the part that is captured below; None for none."""
        return next((label for label in self.children if label.startswith("$")), None)

    def condition(self, kind):
        """All conditions of a kind as one; None where there are none."""
        conditions = self.conditions[kind]
        return all_of(conditions, self.spans[kind]) if conditions else None

    def merge(self, alternatives, span=None):
        """Adds what is true of one alternative or another; each rule is where the span is, or else the first of them."""
        for kind in KINDS:
            place = span or next((node.spans[kind] for node in alternatives if kind in node.spans), None)
            said = [node.condition(kind) for node in alternatives]
            if kind == "validate" and None in said:  # any value will do
                continue
            said = [condition for condition in said if condition is not None]
            if said:
                self.add(kind, any_of(said, place), place)
        for node in alternatives:
            self.indexes += [index for index in node.indexes if index not in self.indexes]
        labels = dict.fromkeys(label for node in alternatives for label in node.children)
        for label in labels:
            below = [node.children[label] for node in alternatives if label in node.children]
            self.child(label, below[0].span).merge(below)
        self.is_open = self.is_open or any(node.is_open for node in alternatives)
        closed = [node.closed for node in alternatives if node.closed]
        is_open = any(node.is_open or node.wildcard for node in alternatives)
        self.closed = self.closed or (closed[0] if closed and not is_open else None)
