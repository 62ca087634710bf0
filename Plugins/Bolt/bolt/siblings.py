"""Conditions for named siblings of a capture: the rules language does not apply the conditions of a wildcard to children that are
named beside it."""

from .code import renamed, string
from .text import Mistake


def copy_capture_conditions(node, location, compiler):
    """Copies the conditions for values of each capture to the named siblings of the capture. Read and write conditions are not
    copied."""
    wildcard = node.wildcard
    for label in node.literals if wildcard else ():
        if node.is_any_child_named or label not in (node.exempt or ()):
            child = node.children[label]
            names = {wildcard: str(string(label, child.span))}
            _copy_conditions(child, node.children[wildcard], (location + (label,), location + (wildcard,)), names, compiler)
    for label, child in node.children.items():
        copy_capture_conditions(child, location + (label,), compiler)


def _copy_conditions(node, other, locations, names, compiler):
    """Copies the conditions for values from another node, with names replaced."""
    compiler.count(other.span)
    _check(node, other, locations)
    for condition in other.conditions["validate"]:
        node.add("validate", renamed(condition, names), other.spans["validate"])
    if other.wildcard:
        node.is_any_child_named = node.is_any_child_named or other.is_any_child_named or node.wildcard is not None
        if other.exempt is not None:
            node.add_exempt(other.exempt)
    for label, child in other.children.items():
        is_named = other.closed or label in (other.exempt or ())
        if not is_named and not child.has_value_conditions:
            continue
        own, inner = label, names
        if label.startswith("$"):
            own = compiler.wild_label(label, locations[0])
            inner = {**names, label: own}
        below = (locations[0] + (own,), locations[1] + (label,))
        _copy_conditions(node.child(own, child.span), child, below, inner, compiler)
    node.is_open = node.is_open or other.is_open
    node.is_leaf = node.is_leaf or other.is_leaf
    node.closed = node.closed or other.closed


def _check(node, other, locations):
    """Refuses a copy that no value satisfies: a type without a wild property allows only its own properties, and the other node has
    conditions for others."""
    constrained = [label for label in other.literals if other.children[label].has_value_conditions]
    for one, named in ((node, constrained), (other, node.literals)):
        labels = [label for label in named if label not in one.children]
        if one.closed and labels:
            raise Mistake(
                node.span,
                f"{_path(locations[0])} also matches {_path(locations[1])}, and '{one.closed.name}' has no '{labels[0]}'.",
                "Both must hold: name it in both, or keep the two apart by a part of the path.")


def _path(location):
    return "/" + "/".join("{" + label[1:] + "}" if label.startswith("$") else label for label in location)
