import HearthEngine
import HearthTree

/// A connection's slot among those of its database. It is freed when the last reference to it is released.
///
/// Used on the connection's event loop only.
final class QuotaSlot {
  private let allowance: DatabaseAllowance
  private var entry: DatabaseAllowance.Entry
  /// The connection that work is charged to; nil when none is charged.
  private let connection: ConnectionID?
  /// The end of the wait because of the work of the client's earlier connections, in nanoseconds on the monotonic
  /// clock.
  private var inheritedWaitEnd: Int64 = 0

  /// - Parameters:
  ///   - entry: the result of ``DatabaseAllowance/enter(as:from:at:)``.
  ///   - connection: the connection that work is charged to.
  ///   - network: the connection's network.
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
    inheritedWaitEnd = wait > 0 ? now + wait : 0
  }

  // MARK: Work

  /// Charges the event loop's work for a message.
  ///
  /// - Returns: the connection's wait; nil when it may continue.
  func charge(_ amount: WorkAmount) -> DatabaseAllowance.Wait? {
    connection.flatMap { allowance.charge(amount, to: .connection($0)) }
  }

  /// The milliseconds until the connection may have its first work done, within bounds; nil when it may at once. For a
  /// client without debt this only reads one number.
  var inheritedWaitMilliseconds: Int64? {
    guard inheritedWaitEnd > 0 else { return nil }
    let wait = inheritedWaitEnd - DatabaseAllowance.now
    guard wait > 0 else {
      inheritedWaitEnd = 0
      return nil
    }
    return min(1 + wait / 1_000_000, QuotaLimits.pauseMillisecondsMax)
  }

  /// The refusal of a message that is too large to wait until the client's work is paid for.
  var workRefusal: QuotaRefusal { QuotaRefusal(.connectionWorkPerSecond, allowance.connectionStepsPerSecond) }

  /// The connection's remaining wait because of its work; nil when it may continue.
  var workWait: DatabaseAllowance.Wait? { connection.flatMap { allowance.wait(of: .connection($0)) } }

  // MARK: Rates

  /// The client; nil for an administrator.
  private var client: QuotaClient? { entry.client }

  /// Counts a message; returns a refusal when its request must not be carried out.
  func refusal(ofMessage bytes: Int) -> QuotaRefusal? {
    guard let client else { return nil }
    return allowance.refusal(ofMessage: bytes, from: client)
  }

  /// The reason why no more data is stored; nil while there is room.
  var storageRefusal: QuotaRefusal? { allowance.storageRefusal }

  /// The maximum bytes of a response.
  var answerBytesMax: Int { client == nil ? .max : allowance.answerBytesMax }

  /// Returns the refusal of a response of so many bytes; nil when it is allowed.
  func refusal(ofAnswer bytes: Int) -> QuotaRefusal? {
    bytes > answerBytesMax ? QuotaRefusal(.answerBytes, answerBytesMax) : nil
  }

  /// Updates the slot when the connection's client signs in or out.
  ///
  /// - Returns: the reason why the connection has to close.
  func identify(_ principal: Principal, address: String) -> QuotaRefusal? {
    let name = principal.readsAll ? nil : QuotaClientName(uid: principal.uid, address: address)
    let network = NetworkPrefix(address: address)
    let refusal = allowance.move(&entry, to: name, from: network, at: DatabaseAllowance.now)
    joinWork(from: network)
    return refusal
  }
}
