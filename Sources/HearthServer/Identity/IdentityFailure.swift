import HearthTransport
import HearthTree
import NIOCore
import NIOHTTP1

/// An identity request that the server itself refuses, before the accounts see it.
struct IdentityFailure: Error, Sendable, Equatable {
  var status: Int
  var message: String
  var reason: String

  init(_ status: Int, _ message: String, reason: String = "invalid") {
    self.status = status
    self.message = message
    self.reason = reason
  }

  static let badQuery = IdentityFailure(400, "INVALID_ARGUMENT : The query string is not valid.")
  static let bodyTooLong = IdentityFailure(413, "INVALID_ARGUMENT : The request is too large.")

  /// The protocol's error body.
  var body: [UInt8] {
    let entry = JSON.object([
      .init("message", .string(message)), .init("reason", .string(reason)), .init("domain", .string("global")),
    ])
    let error = JSON.object([
      .init("code", .int(Int64(status))), .init("message", .string(message)), .init("errors", .array([entry])),
      .init("status", .string("INVALID_ARGUMENT")),
    ])
    return JSON.object([.init("error", error)]).text()
  }
}
