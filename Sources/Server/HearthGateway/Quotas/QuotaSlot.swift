import HearthEngine
import HearthTree

/// A connection's place among those of its database. It is given back when the last reference to it is released.
///
/// Used on the connection's event loop only.
final class QuotaSlot {
  private let allowance: DatabaseAllowance
  private var entry: DatabaseAllowance.Entry
  /// nil for one whose work is not charged.
  private let connection: ConnectionID?
  /// The end of the time for which the connection is to wait for what its client's connections before it have caused, in
  /// nanoseconds on the monotonic clock.
  private var carriedNanoseconds: Int64 = 0

  /// - Parameters:
  ///   - entry: what ``DatabaseAllowance/enter(as:from:at:)`` gave.
  ///   - connection: which work is charged by.
  ///   - network: where it comes from.
  init(
    _ allowance: DatabaseAllowance, _ entry: DatabaseAllowance.Entry, of connection: ConnectionID? = nil,
    from network: NetworkPrefix? = nil
  ) {
    (self.allowance, self.entry, self.connection) = (allowance, entry, connection)
    joinWork(from: network)
  }

  deinit {
    allowance.leave(&entry)
    if let connection { allowance.leaveWork(connection) }
  }

  private func joinWork(from network: NetworkPrefix?) {
    guard let connection else { return }
    let client = ShareClaimant(account: client?.name.uid, network: network, isAdministrator: client == nil)
    let now = DatabaseAllowance.now
    let wait = allowance.joinWork(connection, as: client, at: now)
    carriedNanoseconds = wait > 0 ? now + wait : 0
  }

  // MARK: Work

  /// Charges what the event loop does for a message.
  ///
  /// - Returns: the connection's wait; nil when it may go on.
  func charge(_ amount: WorkAmount) -> DatabaseAllowance.Wait? {
    connection.flatMap { allowance.charge(amount, to: .connection($0)) }
  }

  /// The milliseconds until the connection may have its first work done, within bounds; `nil` when it may at once. It costs
  /// a look at one number for a client that owed nothing.
  var carriedMilliseconds: Int64? {
    guard carriedNanoseconds > 0 else { return nil }
    let wait = carriedNanoseconds - DatabaseAllowance.now
    guard wait > 0 else {
      carriedNanoseconds = 0
      return nil
    }
    return min(1 + wait / 1_000_000, QuotaLimits.holdMillisecondsMax)
  }

  /// The refusal of what is too large to wait until the client's work is paid for.
  var workRefusal: QuotaRefusal { QuotaRefusal(.connectionWorkPerSecond, allowance.connectionStepsPerSecond) }

  /// The time for which the connection is still to wait because of its work; nil when it may go on.
  var workWait: DatabaseAllowance.Wait? { connection.flatMap { allowance.wait(of: .connection($0)) } }

  // MARK: Rates

  /// nil for an administrator.
  private var client: QuotaClient? { entry.client }

  /// Counts a message; what it asks is not to be done when it is refused.
  func refusal(ofMessage bytes: Int) -> QuotaRefusal? {
    guard let client else { return nil }
    return allowance.refusal(ofMessage: bytes, from: client)
  }

  /// The reason why nothing more is stored; nil while there is room.
  var storageRefusal: QuotaRefusal? { allowance.storageRefusal }

  /// Bytes that an answer may have.
  var answerBytesMax: Int { client == nil ? .max : allowance.answerBytesMax }

  /// Returns the reason why an answer of so many bytes is not given; nil for one that is.
  func refusal(ofAnswer bytes: Int) -> QuotaRefusal? {
    bytes > answerBytesMax ? QuotaRefusal(.answerBytes, answerBytesMax) : nil
  }

  /// Somebody signs in, or out, on the connection.
  ///
  /// - Returns: why the connection cannot go on.
  func identify(_ principal: Principal, address: String) -> QuotaRefusal? {
    let name = principal.readsAll ? nil : QuotaClientName(uid: principal.uid, address: address)
    let network = NetworkPrefix(address: address)
    let refusal = allowance.move(&entry, to: name, from: network, at: DatabaseAllowance.now)
    joinWork(from: network)
    return refusal
  }
}
