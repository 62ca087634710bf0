/// A step of a ``Place``.
enum Segment: Hashable {
  /// Exactly one key: a constant text, or a wildcard.
  case key(TermID)
  /// A text with any number of keys between slashes. When it has no key, it adds no step.
  case part(TermID)
  /// A text that is the whole argument of `child()`. When it has no key, the place does not exist.
  case whole(TermID)
  /// The result of `parent()` for a place whose last step is perhaps not exactly one key. It replaces all steps.
  case above(PlaceID)

  /// The key; nil for other steps.
  var key: TermID? { if case .key(let term) = self { term } else { nil } }
}

/// A symbolic location in a tree, as steps from the root, in which keys may be unknown.
struct Place {
  /// The place without its last step; nil for the root, and when the parent is unknown.
  var parent: PlaceID?
  var segments: [Segment]
}

/// The place at which a rule is evaluated: the keys down to its node.
struct Scope {
  var place: PlaceID
  /// A term for each key.
  var keys: [TermID]
}

/// Any valid key except the excluded ones.
struct Wildcard {
  /// The name in the file, `$room`.
  var name: String
  /// The excluded keys: the names next to the wildcard in the file.
  var excluded: [String]
}
