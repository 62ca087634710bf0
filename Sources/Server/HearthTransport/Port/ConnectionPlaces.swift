import HearthBytes
import HearthTree
import NIOCore
import Synchronization

/// The connections that a server has at a time: each takes one of the files that the process may open, and so does all that
/// it stores. Clients share them: ``ShareRule``.
///
/// They count by the other end of the connection, before anything is read of it. Behind a trusted proxy nothing is known of
/// the client yet, so that its connections are held to no share.
final class ConnectionPlaces: Sendable {
  /// Of the files that the process may open, those that connections may take.
  static let filesPercentMax = 90

  private let proxies: TrustedProxies
  private let bound: Mutex<SharedBound>

  init(max: Int, proxies: TrustedProxies) {
    self.proxies = proxies
    bound = Mutex(SharedBound(max: max))
  }

  /// Connections now.
  var count: Int { bound.withLock { $0.used } }

  /// The number of connections that there may be.
  ///
  /// - Parameter files: that the process may open.
  static func max(files: Int) -> Int { files / 100 * filesPercentMax + files % 100 * filesPercentMax / 100 }

  /// Takes a place for a connection; nil when there is none for its client.
  func take(_ address: IPAddress?) -> SharedBound.Claim? {
    let network = address.flatMap { proxies.contains($0) ? nil : NetworkPrefix($0) }
    return bound.withLock { bound in
      var claim = bound.join(ShareClaimant(network: network))
      if bound.admit(to: &claim) { return claim }
      bound.leave(&claim)
      return nil
    }
  }

  /// Gives a place back.
  func leave(_ claim: SharedBound.Claim) {
    bound.withLock { bound in
      var claim = claim
      bound.leave(&claim)
    }
  }

  /// Counts a connection that came in, until it is closed.
  ///
  /// - Throws: for one that has no place; it is closed then.
  func admit(_ channel: any Channel) throws {
    let address = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    guard let claim = take(address) else { throw NoPlace() }
    channel.closeFuture.whenComplete { [self] _ in leave(claim) }
  }

  /// All places are taken, or the client has its share of them.
  struct NoPlace: Error {}
}
