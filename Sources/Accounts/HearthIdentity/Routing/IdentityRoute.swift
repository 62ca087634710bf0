import HearthCrypto

/// An operation at one of its addresses.
package struct IdentityRoute: Sendable {
  /// The operation that the request asks for.
  package let operation: IdentityOperation
  let address: EndpointAddress

  var pattern: RoutePattern { address.pattern }

  func takes(method: String) -> Bool { address.takes(method: method) }

  /// All operations at all their addresses. Of several routes for one path, the first that takes the method is used.
  package static let all: [IdentityRoute] = IdentityTable.operations.flatMap { operation in
    operation.addresses.map { IdentityRoute(operation: operation, address: $0) }
  }
}
