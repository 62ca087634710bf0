/// What the tree after the request has to do with the one before.
struct Change {
  enum Kind {
    /// A read: there is one tree.
    case none
    /// One place gets another value, or none.
    case value
    /// One place gets another priority, and nothing else changes.
    case priority
    /// Several places change: nothing is known of what is beside the one that is asked about.
    case many
  }

  var kind: Kind
  /// The place that is asked about; every step of it is a key.
  var place: PlaceID
}

/// Where a place stands to the one that is written.
enum Relation {
  /// Neither is the other, or above or below it.
  case beside
  case above
  case at
  case below
  /// It may be any.
  case unknown
}
