import HearthEngine
import HearthTree

/// A connection's place among those of its database. It is given back when the last reference to it is released.
///
/// Used on the connection's event loop only.
final class QuotaSeat {
  private let allowance: DatabaseAllowance
  private var entry: DatabaseAllowance.Entry

  /// - Parameter entry: what ``DatabaseAllowance/enter(as:from:at:)`` gave.
  init(_ allowance: DatabaseAllowance, _ entry: DatabaseAllowance.Entry) {
    (self.allowance, self.entry) = (allowance, entry)
  }

  deinit { allowance.leave(&entry) }

  /// nil for an administrator.
  private var client: QuotaClient? { entry.client }

  /// Counts a message; what it asks is not to be done when it is refused.
  func refusal(ofMessage bytes: Int) -> QuotaRefusal? {
    guard let client else { return nil }
    return allowance.refusal(ofMessage: bytes, from: client)
  }

  /// Why nothing more is stored; nil while there is room.
  var storageRefusal: QuotaRefusal? { allowance.storageRefusal }

  /// Bytes that an answer may have.
  var answerBytesMax: Int { client == nil ? .max : allowance.answerBytesMax }

  /// Why an answer of so many bytes is not given; nil for one that is.
  func refusal(ofAnswer bytes: Int) -> QuotaRefusal? {
    bytes > answerBytesMax ? QuotaRefusal(.answerBytes, answerBytesMax) : nil
  }

  /// Somebody signs in, or out, on the connection.
  ///
  /// - Returns: why the connection cannot go on.
  func identify(_ principal: Principal, address: String) -> QuotaRefusal? {
    let name = principal.readsAll ? nil : QuotaClientName(uid: principal.uid, address: address)
    return allowance.move(&entry, to: name, from: NetworkPrefix(address: address), at: DatabaseAllowance.now)
  }
}
