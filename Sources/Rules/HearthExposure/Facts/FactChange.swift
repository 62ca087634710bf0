/// The difference between the trees before and after the request.
struct FactChange {
  enum Kind {
    /// A read: the tree does not change.
    case none
    /// One place gets another value, or is deleted.
    case value
    /// One place gets another priority, and nothing else changes.
    case priority
    /// Several places change: nothing is known about places other than the one in question.
    case many
  }

  var kind: Kind
  /// The place in question; all its steps are keys.
  var place: PlaceID
}

/// The relation of a place to the written one.
enum Relation {
  /// The places are different, and neither is above the other.
  case beside
  case above
  case at
  case below
  /// Any relation is possible.
  case unknown
}
