/// The hashes with which clients may state that they have a value.
package struct ValueHashes: Sendable {
  /// The choice of hashes to compute.
  package enum Scope: Sendable {
    /// The protocol's hash.
    case standard
    /// The protocol's hash, and those of clients that compute it differently for this value.
    case every
    /// The ``Node/exactHash()`` with the prefix ``Node/exactHashMark``.
    case exact
  }

  /// The hashes. The protocol's hash comes first when it is included. An empty node has the empty string.
  package let texts: [String]
  /// True when every hash that is not in ``texts`` belongs to another value.
  package let isComplete: Bool
  /// True when another value may have the protocol's hash: an integer was hashed as the double to which it rounds.
  package let isAmbiguous: Bool

  /// Computes the hashes. Takes the time of hashing the value once for each hash.
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
