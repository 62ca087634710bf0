import HearthCrypto

/// An operation at one of its places.
package struct IdentityRoute: Sendable {
  /// The operation that the request asks for.
  package let operation: IdentityOperation
  let place: RoutePlace

  var pattern: PathPattern { place.pattern }

  func takes(method: String) -> Bool { place.takes(method: method) }

  /// All operations at all their places. Of routes for the same path the first that takes the method counts.
  package static let all: [IdentityRoute] = IdentityTable.operations.flatMap { operation in
    operation.places.map { IdentityRoute(operation: operation, place: $0) }
  }
}
