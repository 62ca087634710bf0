/// The relation of the tree after the request to the one before.
struct FactChange {
  enum Kind {
    /// A read: there is one tree.
    case none
    /// One place gets another value, or is deleted.
    case value
    /// One place gets another priority, and nothing else changes.
    case priority
    /// Several places change: nothing is known about the places beside the one in question.
    case many
  }

  var kind: Kind
  /// The place in question; every step of it is a key.
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
