"""Compiles a Bolt file to rules: expands types where paths name them, and adds the rules of the paths themselves."""

from collections import namedtuple

from . import code
from .siblings import copy_capture_conditions
from .code import CONDITION, POSTFIX, REFERENCE, STRING, Code, all_of, any_of, both, either, string, suffix, word
from .expressions import Scope, Translator
from .nodes import KINDS, Node, separate
from .syntax import TypeExpression
from .text import Mistake, Span

# The argument of a type parameter: the type expression, the environment in which it was written, and the types that were being
# expanded there (active).
Binding = namedtuple("Binding", "type environment active")
# A type declared in the file, the arguments of its parameters, and the types that are being expanded including this one (active).
Expansion = namedtuple("Expansion", "type environment active")

_SCALARS = {"String": "isString", "Number": "isNumber", "Boolean": "isBoolean"}
_BUILT_IN = {"Any": 0, "Null": 0, "Object": 0, "Map": 2, "String": 0, "Number": 0, "Boolean": 0}
_ALIASES = ("create", "update", "delete")
_METHODS = KINDS + _ALIASES + ("index",)
# Names that captures must not have, because they mean something else in expressions: with a capture named auth, auth != null would
# always be true.
_RESERVED = ("auth", "now", "root", "this", "prior", "key")

# The maximum number of nodes of the rules tree: types of types multiply them.
_NODES_MAX = 10_000
# The maximum number of type expansions for the whole file.
_TYPES_MAX = 50_000
# The maximum depth of a path, as in the database.
_LEVELS_MAX = 32
# The maximum number of reported mistakes.
_MISTAKES_MAX = 100
# The maximum length of a chain of extended types, and the maximum nesting of types in one node.
_CHAIN_MAX = 100

_FORBIDDEN = set(".#$[]/")


class Compiler:
    """A compiler for one file."""

    def __init__(self, file):
        self.file = file
        self.translator = Translator(file.functions)
        self.mistakes = []
        self.known_mistakes = set()
        self.root = Node(Span(0, 0))
        self.wildcards = {}
        self.labels = {part.label for path in file.paths for part in path.parts if part.capture}
        self.key_count = 0
        self.node_count = 0
        # The names of captures in the path and the wild properties ($name) that are being expanded, with the wildcard of each in
        # the rules.
        self.parts = {}
        # The captures of the path that is being expanded, which the methods of its type can use, too.
        self.captures = {}
        self.chain = 0
        self.type_count = 0

    def compile(self):
        """Compiles the file and returns the root node of the rules. Mistakes are added to .mistakes."""
        if not self.file.paths:
            self._note(Mistake(Span(0, 0), "A file needs at least one path.", "path / { read() { false } }"))
        for declared in self.file.types.values():
            if declared.name in _BUILT_IN:
                self._note(Mistake(declared.span, f"'{declared.name}' is a built-in type."))
        self._check_words()
        # The paths' captures are named first, so that the names of types' wildcards can differ from them.
        located = [(path, *self._located(path)) for path in self.file.paths]
        for path, location, captures in located:
            if len(self.mistakes) == _MISTAKES_MAX:
                break
            self._try(self._path, path, location, captures)
        if not self.mistakes:
            self._try(copy_capture_conditions, self.root, (), self)
        return self.root

    def _check_words(self):
        functions = self.file.functions.values()
        named = [(function.name, function.span) for function in functions]
        named += [(name, function.span) for function in functions for name in function.parameters]
        named += [(part.capture, part.span) for path in self.file.paths for part in path.parts]
        for name, span in named:
            if name in _RESERVED:
                self._note(Mistake(span, f"'{name}' is a reserved word.", "Choose another name."))

    def _note(self, mistake):
        if len(self.mistakes) < _MISTAKES_MAX and (mistake.span, mistake.message) not in self.known_mistakes:
            self.known_mistakes.add((mistake.span, mistake.message))
            self.mistakes.append(mistake)

    def _try(self, work, *arguments):
        try:
            work(*arguments)
        except Mistake as mistake:
            self._note(mistake)

    # MARK: Paths

    def _located(self, path):
        """Returns the labels of a path, and the wildcard of each of its captures. Two captures with different names at one location
        share one wildcard."""
        location, captures = (), {}
        for part in path.parts:
            label = part.label
            if part.capture:
                if part.capture in captures:
                    self._note(Mistake(part.span, f"'{part.capture}' is captured twice in the path."))
                label = self.wild_label(label, location)
                captures[part.capture] = label
            location += (label,)
        return location, captures

    def _path(self, path, location, captures):
        if len(location) > _LEVELS_MAX:
            raise Mistake(path.span, f"A path can have at most {_LEVELS_MAX} levels.")
        node = self.root
        says_values = path.type or "validate" in path.methods
        for label, part in zip(location, path.parts):
            node.is_any_child_named = node.is_any_child_named or bool(says_values and part.capture)
            if label not in node.children:
                self.count(part.span)
            node = node.child(label, part.span)
        self.parts = {part.label: captures[part.capture] for part in path.parts if part.capture}
        self.captures = captures
        if path.type:
            self._expand(path.type, {}, location, node, ())
        self._methods(path.methods, location, node, captures)

    def wild_label(self, name, location):
        """Returns the wildcard in the rules for a capture at a location; it is unique within the location."""
        label = self.wildcards.setdefault(location, name)
        if label in location:
            label = self.wildcards[location] = self._new_key(location)
        return label

    def _wildcard(self, location):
        if location not in self.wildcards:
            self.wildcards[location] = self._new_key(location)
        return self.wildcards[location]

    def _new_key(self, location):
        while True:
            self.key_count += 1
            label = f"$key{self.key_count}"
            if label not in self.labels and label not in location:
                return label

    def count(self, span):
        self.node_count += 1
        if self.node_count > _NODES_MAX:
            raise Mistake(span, f"The rules would have more than {_NODES_MAX} locations.", "Every use of a type inserts all its properties.")

    # MARK: Methods

    def _methods(self, methods, location, node, captures):
        aliases = [name for name in methods if name in _ALIASES]
        for name, method in methods.items():
            if name not in _METHODS:
                self._note(Mistake(method.span, f"Unknown method '{name}'.", "The methods are " + ", ".join(_METHODS) + "."))
            elif method.parameters:
                self._note(Mistake(method.span, f"'{name}' takes no parameters."))
            elif name in _ALIASES and "write" in methods:
                self._note(Mistake(method.span, f"'{name}' cannot be combined with 'write', which includes it.", "Write one or the other."))
        for kind in KINDS:
            if kind in methods:
                self._try(self._method, kind, methods[kind], location, node, captures)
        if aliases:
            self._try(self._write, [methods[name] for name in aliases], location, node, captures)
        if "index" in methods:
            self._try(self._index, methods["index"], node)

    def _scope(self, kind, location, captures, this=None):
        return Scope(kind, location, this, {}, captures, self.parts, ())

    def _method(self, kind, method, location, node, captures):
        scope = self._scope(kind, location, captures)
        node.add(kind, self.translator.condition(method.body, scope), method.span)

    def _write(self, methods, location, node, captures):
        scope = self._scope("write", location, captures)
        result = None
        for method in methods:
            condition = both(_write_alias_condition(method), self.translator.condition(method.body, scope), method.span)
            result = condition if result is None else either(result, condition, method.span)
        node.add_write_aliases([method.name for method in methods], methods[0].span)
        node.add("write", result, methods[0].span)

    def _index(self, method, node):
        for text, span in self.translator.strings(method.body):
            if not text or "\x00" in text:
                raise Mistake(span, "An index must be the name of a property, or .value.")
            if text not in [known for known, _ in node.indexes]:
                node.indexes.append((text, span))

    # MARK: Types

    def _expand(self, named, environment, location, node, active):
        """Adds the rules of a type to a node."""
        self.chain += 1
        try:
            if self.chain > _CHAIN_MAX or len(location) > _LEVELS_MAX:
                raise Mistake(named.span, "Types are nested too deeply here.")
            if named.name is None:
                return self._union(named, environment, location, node, active)
            base, chain = self._chain(named, environment, active)
            if any(one.type.properties for one in chain):
                self._object(named, base, chain, location, node)
            elif base.type.name is None:
                self._union(base.type, base.environment, location, node, base.active)
            else:
                self._built_in(named, base, location, node)
            for one in chain:
                self._methods(one.type.methods, location, node, self.captures)
        finally:
            self.chain -= 1

    def _chain(self, named, environment, active):
        """Resolves a type to its base, which is a built-in type or a union, and to the declared types between them, the base-most
        first."""
        self.type_count += 1
        if self.type_count > _TYPES_MAX:
            raise Mistake(named.span, "There are too many generic types here.")
        chain = []
        while named.name is not None:
            if named.name in environment:
                if named.arguments:
                    raise Mistake(named.span, f"'{named.name}' is a type parameter and cannot have type arguments.")
                named, environment, active = environment[named.name]
                continue
            declared = self.file.types.get(named.name)
            if declared is None:
                self._check(named, _BUILT_IN.get(named.name))
                break
            self._check(named, len(declared.parameters))
            if any(one is declared for one in active):
                raise Mistake(
                    named.span, f"The type '{declared.name}' contains itself.", "Rules have a fixed number of levels; use Any here.")
            bound = {
                name: Binding(argument, environment, active)
                for name, argument in zip(declared.parameters, named.arguments)}
            environment, active = bound, active + (declared,)
            chain.insert(0, Expansion(declared, environment, active))
            if len(chain) > _CHAIN_MAX:
                raise Mistake(declared.span, "Types are nested too deeply here.")
            named = declared.base or TypeExpression("Object" if declared.properties else "Any", (), declared.span)
        return Binding(named, environment, active), chain

    @staticmethod
    def _check(named, count):
        if count is None:
            raise Mistake(named.span, f"Unknown type '{named.name}'.")
        if len(named.arguments) != count:
            said = "no types" if count == 0 else f"{count} type" + ("s" if count > 1 else "")
            raise Mistake(named.span, f"'{named.name}' takes {said} in <…>, not {len(named.arguments)}.")

    def _built_in(self, named, base, location, node):
        name, span = base.type.name, named.span
        node.is_leaf = node.is_leaf or name in _SCALARS or name == "Null"
        if name in _SCALARS:
            node.add("validate", suffix(_new(span), f".{_SCALARS[name]}()", CONDITION, span), span)
        elif name == "Null":
            node.add("validate", code.truth(False, span), span)
        elif name == "Any":
            node.is_open = True
        elif name == "Object":
            node.is_open = True
            node.add("validate", _has_children((), span), span)
        else:
            self._map(base, location, node, span)

    def _map(self, base, location, node, span):
        keys, values = base.type.arguments
        node.add("validate", _has_children((), span), span)
        label = self._wildcard(location)
        node.is_any_child_named = True
        self.count(span)
        child = node.child(label, values.span)
        below = location + (label,)
        for condition in self._key_conditions(keys, base.environment, below, base.active):
            child.add("validate", condition, values.span)
        self._expand(values, base.environment, below, child, base.active)

    def _key_conditions(self, named, environment, location, active):
        """Returns the conditions of a type for keys. Keys are always strings."""
        base, chain = self._chain(named, environment, active)
        if base.type.name is None:
            said = [
                all_of(self._key_conditions(one, base.environment, location, base.active), one.span)
                for one in base.type.arguments]
            conditions = [any_of(said, base.type.span)]
        elif base.type.name == "String" and not any(one.type.properties for one in chain):
            conditions = []
        else:
            raise Mistake(named.span, "The type of keys must derive from String.")
        this = word(location[-1], STRING, named.span)
        for one in chain:
            if "validate" in one.type.methods:
                scope = self._scope("validate", location, self.captures, this)
                conditions.append(self.translator.condition(one.type.methods["validate"].body, scope))
        return conditions

    def _union(self, union, environment, location, node, active):
        alternatives = []
        for one in union.arguments:
            if self._is_null(one, environment, active):
                continue
            alternative = Node(one.span)
            self._expand(one, environment, location, alternative, active)
            alternatives.append(alternative)
        if alternatives:
            separate(alternatives)
            node.merge(alternatives, union.span)
        else:
            node.add("validate", code.truth(False, union.span), union.span)

    def _object(self, named, base, chain, location, node):
        properties = [(one, declared) for one in chain for declared in one.type.properties]
        if base.type.name not in ("Object", "Any"):
            raise Mistake(properties[0][1].span, "Only a type that extends Object can have properties.")
        wild = [declared for _, declared in properties if declared.name.startswith("$")]
        if len({declared.name for declared in wild}) > 1:
            raise Mistake(wild[1].span, "A type can have at most one wild property.")
        required = []
        for one, declared in properties:
            _check_name(declared)
            if not declared.name.startswith("$") and not self._may_be_null(declared.type, one.environment, one.active):
                required.append((declared.name, declared.span))
        # A property that is declared in a type and in the type that it extends is required once.
        names = tuple({name: (name, span) for name, span in reversed(required)}.values())[::-1]
        node.add("validate", _has_children(names, chain[-1].type.span), named.span)
        for one, declared in properties:
            self._property(one, declared, location, node)
        if wild:
            node.add_exempt(declared.name for _, declared in properties)
        else:
            node.closed = chain[-1].type

    def _property(self, one, declared, location, node):
        label, parts = declared.name, self.parts
        if label.startswith("$"):
            label = self.wild_label(label, location)
            self.parts = {**parts, declared.name: label}
        self.count(declared.span)
        child = node.child(label, declared.span)
        try:
            self._expand(declared.type, one.environment, location + (label,), child, one.active)
        finally:
            self.parts = parts

    def _may_be_null(self, named, environment, active):
        """Returns whether null is a value of the type. Maps may be empty, and the database stores empty values as null."""
        base, _ = self._chain(named, environment, active)
        if base.type.name is None:
            return any(self._may_be_null(one, base.environment, base.active) for one in base.type.arguments)
        return base.type.name in ("Null", "Map")

    def _is_null(self, named, environment, active):
        base, chain = self._chain(named, environment, active)
        return base.type.name == "Null" and not chain


def _check_name(declared):
    name = declared.name[1:] if declared.name.startswith("$") else declared.name
    if not name or _FORBIDDEN & set(name) or any(character < " " or character == "\x7f" for character in name):
        raise Mistake(declared.span, "A property name cannot be empty or contain . $ # [ ] / or control characters.")


def _new(span):
    return word("newData", REFERENCE, span)


def _has_children(names, span):
    if not names:
        return suffix(_new(span), ".hasChildren()", CONDITION, span)
    parts = [_new(span), (".hasChildren([", span)]
    for index, (name, place) in enumerate(names):
        parts += [(", ", span)] if index else []
        parts.append(string(name, place))
    return Code(parts + [("])", span)], POSTFIX, CONDITION, span)


def _write_alias_condition(method):
    """Returns the condition under which create, update or delete applies: the value is created, changed or removed."""
    span = method.span

    def compared(side, operator):
        value = suffix(word(side, REFERENCE, span), ".val()", code.ANY, span)
        return code.binary(operator, value, word("null", code.ANY, span), code.EQUALITY, CONDITION, span)

    if method.name == "create":
        return compared("data", "==")
    return both(compared("data", "!="), compared("newData", "!=" if method.name == "update" else "=="), span)
