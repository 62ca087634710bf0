/// The hashes by which clients may say that they hold a value.
package struct ValueHashes: Sendable {
  /// The choice of hashes to compute.
  package enum Scope: Sendable {
    /// The protocol's hash.
    case standard
    /// The protocol's hash, and those of clients that compute it otherwise for this value.
    case every
    /// The ``Node/exactHash()`` behind ``Node/exactHashMark``.
    case exact
  }

  /// The hashes; of the protocol's and others, the protocol's first. The empty text for an empty node.
  package let texts: [String]
  /// True when a hash that is not among ``texts`` is that of another value.
  package let isComplete: Bool
  /// True when another value may have the protocol's hash: an integer was hashed as the double to which it rounds.
  package let isAmbiguous: Bool

  /// Computes the hashes. Takes as long as hashing the value does, once for each hash.
  package init(_ node: Node, _ scope: Scope) {
    isComplete = scope != .standard
    guard scope != .exact else {
      (texts, isAmbiguous) = ([String(Node.exactHashMark) + node.exactHash()], false)
      return
    }
    var standard = SimpleHash(collectsDivergingVariants: scope == .every)
    let first = standard.digest(of: node)?.base64 ?? ""
    let divergingVariants = standard.divergingVariants
    isAmbiguous = divergingVariants.contains(.exactIntegers)
    texts =
      scope == .every
      ? [first] + SimpleHash.clientVariants.filter { divergingVariants.contains($0) }.map { node.simpleHash($0) }
      : [first]
  }
}
