import HearthCrypto
import HearthTree

/// The code by which the owner of an address can undo that it is taken from an account: drawn before the change, stored
/// and mailed with it.
struct AddressRecovery: Sendable, Redacted {
  var code: NewCode
  var link: String
  /// What an emulator shows of them; nil on every other server.
  var shown: String?

  /// What the ticket remembers.
  ///
  /// - Parameter wasVerified: whether the address was proven; who owns it is mailed whatever limits say.
  func details(wasVerified: Bool) -> String? {
    guard wasVerified else { return shown }
    let others = shown.flatMap { JSON(parsing: $0.utf8) }?.members ?? []
    let all = JSON.object([JSON.Member("wasVerified", .bool(true))] + others)
    return String(decoding: all.text(), as: UTF8.self)
  }
}

extension Ticket {
  /// Of a code that takes an address back: whether the address was proven.
  var wasVerified: Bool { details.flatMap { JSON(parsing: $0.utf8) }?["wasVerified"]?.bool ?? false }
}
