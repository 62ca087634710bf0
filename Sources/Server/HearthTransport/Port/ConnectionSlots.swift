import HearthBytes
import HearthTree
import NIOCore
import Synchronization

/// The quota of concurrent connections: each takes one of the files that the process may open, as do its data files.
/// Clients share it: ``ShareRule``.
///
/// Connections count by their peer, before any byte is read. Behind a trusted proxy the client is not known yet, so
/// that its connections have no share limit.
final class ConnectionSlots: Sendable {
  /// The percentage of the files that the process may open which connections may take.
  static let filesPercentMax = 90

  private let proxies: TrustedProxies
  private let bound: Mutex<FairShareLimit>

  init(max: Int, proxies: TrustedProxies) {
    self.proxies = proxies
    bound = Mutex(FairShareLimit(max: max))
  }

  /// The number of connections now.
  var count: Int { bound.withLock { $0.used } }

  /// Returns the maximum number of connections.
  ///
  /// - Parameter files: that the process may open.
  static func max(files: Int) -> Int { files / 100 * filesPercentMax + files % 100 * filesPercentMax / 100 }

  /// Takes a slot for a connection; nil when its client can have none.
  func take(_ address: IPAddress?) -> FairShareLimit.Claim? {
    let network = address.flatMap { proxies.contains($0) ? nil : NetworkPrefix($0) }
    return bound.withLock { bound in
      var claim = bound.join(ShareClaimant(network: network))
      if bound.admit(to: &claim) { return claim }
      bound.leave(&claim)
      return nil
    }
  }

  /// Frees a slot.
  func leave(_ claim: FairShareLimit.Claim) {
    bound.withLock { bound in
      var claim = claim
      bound.leave(&claim)
    }
  }

  /// Counts an accepted connection until it is closed.
  ///
  /// - Throws: when there is no slot for it; it is closed then.
  func admit(_ channel: any Channel) throws {
    let address = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    guard let claim = take(address) else { throw NoSlot() }
    channel.closeFuture.whenComplete { [self] _ in leave(claim) }
  }

  /// All slots are taken, or the client has used its share.
  struct NoSlot: Error {}
}
