"""The tree of nodes that rules are written for."""

from .code import CONDITION, REFERENCE, all_of, any_of, call, either, negation, renamed, string, word
from .text import Mistake

KINDS = ("read", "write", "validate")


class Node:
    """A node of the rules tree: the conditions of each kind of rule, the indexes, and the child nodes."""

    def __init__(self, span):
        self.span = span
        self.conditions = {kind: [] for kind in KINDS}
        # The span in the Bolt file of each kind of rule.
        self.spans = {}
        self.indexes = []
        self.children = {}
        # The type that allows no children other than its properties; None when others are allowed.
        self.closed = None
        # True when values of type Any or Object are allowed: every child is allowed.
        self.is_open = False
        # True for a string, a number, a Boolean or null, which have no children.
        self.is_leaf = False
        # The declared aliases of write among create, update and delete.
        self.write_aliases = ()
        # exempt: the named properties of a type with a wild property ($name), to which the conditions of the wild property do not
        # apply; None when there is no such type. is_any_child_named: True when another declaration has conditions for every child.
        self.exempt = None
        self.is_any_child_named = False

    def add(self, kind, condition, span):
        """Adds a condition of a kind."""
        self.conditions[kind].append(condition)
        self.spans.setdefault(kind, span)

    def add_write_aliases(self, names, span):
        """Records the aliases of write. Two declarations of one node must have the same aliases, because both have to hold."""
        if self.write_aliases and names and set(self.write_aliases) != set(names):
            raise Mistake(
                span, f"{_listed(names)} here and {_listed(self.write_aliases)} of the same location are never true together.",
                "Declare create(), update() and delete() together in one of the two.")
        self.write_aliases = self.write_aliases or tuple(names)

    def add_exempt(self, labels):
        """Records exempt properties. With two types, only the properties that both declare are exempt."""
        self.exempt = set(labels) if self.exempt is None else self.exempt & set(labels)

    def child(self, label, span):
        """Returns the child with that label; creates it when it does not exist."""
        if label not in self.children:
            self.children[label] = Node(span)
        return self.children[label]

    @property
    def wildcard(self):
        """Returns the label of the wildcard child, or None."""
        return next((label for label in self.children if label.startswith("$")), None)

    def condition(self, kind):
        """Returns the conjunction of the conditions of a kind, or None when there are none."""
        conditions = self.conditions[kind]
        return all_of(conditions, self.spans[kind]) if conditions else None

    @property
    def literals(self):
        """Returns the labels of the children other than the wildcard."""
        return [label for label in self.children if not label.startswith("$")]

    def merge(self, alternatives, span=None):
        """Adds the disjunction of the alternatives of a union. The span is that of each resulting rule; without it, that of the
        first alternative with such a rule."""
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
            self.add_write_aliases(node.write_aliases, node.spans.get("write"))
            if node.exempt is not None:
                self.add_exempt(node.exempt)
        labels = dict.fromkeys(label for node in alternatives for label in node.children)
        for label in labels:
            below = [node.children[label] for node in alternatives if label in node.children]
            self.child(label, below[0].span).merge(below)
        self.is_open = self.is_open or any(node.is_open for node in alternatives)
        self.is_leaf = self.is_leaf or all(node.is_leaf for node in alternatives)
        self.is_any_child_named = self.is_any_child_named or any(node.is_any_child_named for node in alternatives)
        closed = [node.closed for node in alternatives if node.closed]
        is_open = any(node.is_open or node.wildcard for node in alternatives)
        self.closed = self.closed or (closed[0] if closed and not is_open else None)

    @property
    def has_value_conditions(self):
        """Returns whether the node or a descendant has conditions for values."""
        return bool(self.conditions["validate"] or self.closed) or any(child.has_value_conditions for child in self.children.values())

# MARK: Alternatives


def separate(alternatives):
    """Makes the conditions of the alternatives of a union exclude each other, because the rules check children independently of
    each other."""
    for node in alternatives[1:]:
        if _grants(node) != _grants(alternatives[0]):
            raise Mistake(
                node.span, "The alternatives of a union differ in read or write, which apply to locations, not to values.",
                "Declare read() and write() at the location of the union, and validate() in its types.")
    if not any(_is_any_object(node) for node in alternatives):
        return _separate(alternatives)
    for node in alternatives:
        _drop_value_conditions_below(node)


def _separate(alternatives):
    nodes = [node for node in alternatives if not node.is_leaf]
    if all(_below(node) == _below(nodes[0]) for node in nodes):
        return
    for node in nodes:
        if not node.closed:
            raise Mistake(
                node.span, "This type allows unnamed children, so it cannot be distinguished from the other alternatives.",
                "Name its properties, or make it one type with the others.")
    labels = dict.fromkeys(label for node in nodes for label in node.children)
    for label in labels:
        _separate_child(nodes, label)


def _separate_child(nodes, label):
    having = [node for node in nodes if label in node.children]
    children = [node.children[label] for node in having]
    if any(_value_conditions(child) != _value_conditions(children[0]) for child in children):
        _separate(children)
        for node, child in zip(having, children):
            _hoist(node, label, child)
    for node in nodes:
        if label not in node.children:
            node.add("validate", _lacks(label, node.span), node.span)


def _hoist(node, label, child):
    """Adds the condition of a child to its parent: it holds when the child is absent or valid."""
    condition = child.condition("validate")
    if condition is None or condition.constant is True:
        return
    below = str(call(word("", REFERENCE, child.span), "child", [string(label, child.span)], REFERENCE, child.span))
    condition = renamed(condition, {"newData": "newData" + below, "data": "data" + below})
    node.add("validate", either(_lacks(label, child.span), condition, child.span), child.span)


def _lacks(label, span):
    return negation(call(word("newData", REFERENCE, span), "hasChild", [string(label, span)], CONDITION, span), span)


def _is_any_object(node):
    """Returns whether the node allows all objects, or all values: every mixture of alternatives is then allowed, too."""
    known = {str(condition) for condition in node.conditions["validate"]}
    return node.is_open and not node.children and known <= {"newData.hasChildren()"}


def _drop_value_conditions_below(node):
    """Removes the conditions for values of all descendants."""
    node.closed = None
    for label, child in list(node.children.items()):
        child.conditions["validate"] = []
        child.is_leaf = False
        _drop_value_conditions_below(child)
        if not _grants(child) and not child.indexes:
            del node.children[label]


def _value_conditions(node):
    """Returns the conditions for values in a form that can be compared."""
    condition = node.condition("validate")
    return (str(condition) if condition is not None else "true", node.is_leaf, _below(node))


def _below(node):
    children = sorted((label, _value_conditions(child)) for label, child in node.children.items())
    return node.closed is not None, node.is_open, children, sorted(node.exempt or ()), node.is_any_child_named


def _grants(node, location=()):
    """Returns the read and write conditions of a node and its descendants, by location."""
    said = tuple(str(node.condition(kind)) for kind in ("read", "write"))
    grants = {location: said} if said != ("None", "None") else {}
    for label, child in node.children.items():
        grants.update(_grants(child, location + (label,)))
    return grants


def _listed(names):
    return " and ".join(f"{name}()" for name in names)
