/// One step of a ``Place``.
enum Segment: Hashable {
  /// Exactly one key: a constant text, or a wildcard.
  case key(TermID)
  /// A text with any number of keys between slashes. Without any it stands for nothing: the place is the one above.
  case part(TermID)
  /// The same as the whole argument of `child()`. Without any key the place does not exist.
  case whole(TermID)
  /// The place where `parent()` leads from a place whose last step is not known to be one key. It takes the place of
  /// all steps.
  case above(PlaceID)

  /// The key, where it is one.
  var key: TermID? { if case .key(let term) = self { term } else { nil } }
}

/// A place in a tree, from the root down, with keys that need not be known.
struct Place {
  /// The place without its last step; nil for the root, and where that is not known.
  var parent: PlaceID?
  var segments: [Segment]
}

/// Where a rule is evaluated: the keys down to its node.
struct Scope {
  var place: PlaceID
  /// A term for each key.
  var keys: [TermID]
}

/// A key that is any legal key but some.
struct Wildcard {
  /// The name in the file, `$room`.
  var name: String
  /// The keys that it is not: names beside it.
  var excluded: [String]
}
