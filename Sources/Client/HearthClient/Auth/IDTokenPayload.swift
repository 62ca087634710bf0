import Foundation
import HearthTree

/// The claims of an ID token, unverified: a client trusts the server that issued it.
package struct IDTokenPayload: Sendable {
  /// The payload object.
  package let payload: JSON

  /// Reads a token; nil when the text is not a JWT with an object as its payload.
  package init?(_ token: String) {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, token.utf8.count <= IdentityService.tokenBytesMax else { return nil }
    var text = String(decoding: parts[1], as: UTF8.self).replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: text), let payload = JSON(parsing: data), payload.members != nil else {
      return nil
    }
    self.payload = payload
  }

  /// The uid of the account.
  var userID: String? { payload["sub"]?.string ?? payload["user_id"]?.string }

  /// Returns a time claim in seconds since 1970.
  package func seconds(_ name: String) -> TimeInterval? {
    switch payload[name] {
    case .int(let value)?: TimeInterval(value)
    case .double(let value)?: value
    default: nil
    }
  }

  func date(_ name: String) -> Date { Date(timeIntervalSince1970: seconds(name) ?? 0) }
}
