import HearthAccounts
import HearthSystem
import Synchronization

/// The identity of a client of a database for quotas.
enum QuotaClientName: Hashable, Sendable {
  /// The signed-in user, from any address.
  case user(String)
  /// The signed-out clients of one network.
  case network(String)
  /// The clients that came when there were too many to tell apart.
  case others

  /// The user; nil for a network.
  var uid: String? { if case .user(let uid) = self { uid } else { nil } }

  /// - Parameters:
  ///   - uid: the signed-in user's uid; nil for a signed-out client.
  ///   - address: the address of the request or the socket.
  init(uid: String?, address: @autoclosure () -> String) {
    if let uid { self = .user(uid) } else { self = .network(ClientNetwork(address()).text) }
  }
}

/// The use of a database by one client.
final class QuotaClient: Sendable {
  private struct State {
    var connectionCount = 0
    var requests = TokenBucket()
    var bytes = TokenBucket()
  }

  let name: QuotaClientName
  private let state = Mutex(State())

  init(_ name: QuotaClientName) { self.name = name }

  /// Counts one more connection; returns false when the maximum is reached.
  func connect(max: Int?) -> Bool {
    state.withLock { state in
      if let max, state.connectionCount >= max { return false }
      state.connectionCount += 1
      return true
    }
  }

  func disconnect() { state.withLock { $0.connectionCount -= 1 } }

  /// Returns true when the client's state is the initial one, so that it can be removed.
  func isIdle(at now: Int64) -> Bool {
    state.withLock { $0.connectionCount == 0 && $0.requests.isFull(at: now) && $0.bytes.isFull(at: now) }
  }

  /// Counts a request; returns a refusal when the quota is used up.
  func take(_ bytes: Int, _ rates: QuotaRates, at now: Int64) -> QuotaRefusal? {
    guard rates.limitsClients else { return nil }
    return state.withLock { state in
      var refusal = rates.take(
        bytes, .clientRequestsPerSecond, &state.requests, .clientBytesPerSecond, &state.bytes, at: now)
      refusal?.connectionCount = state.connectionCount
      return refusal
    }
  }
}

/// The rate quotas of a database, as each request checks them.
struct QuotaRates: Sendable {
  private let quotas: DatabaseQuotas

  init(_ quotas: DatabaseQuotas) { self.quotas = quotas }

  var limitsClients: Bool { quotas[.clientRequestsPerSecond] != nil || quotas[.clientBytesPerSecond] != nil }

  /// Takes a request of so many bytes from two buckets. One that the second refuses stays counted in the first: the
  /// request was made.
  func take(
    _ bytes: Int, _ requestKind: QuotaKind, _ requestBucket: inout TokenBucket, _ byteKind: QuotaKind,
    _ byteBucket: inout TokenBucket, at now: Int64
  ) -> QuotaRefusal? {
    if let rate = quotas[requestKind] {
      let wait = requestBucket.take(1, perSecond: rate, at: now)
      if wait > 0 { return QuotaRefusal(requestKind, rate, waitNanoseconds: wait) }
    }
    if let rate = quotas[byteKind] {
      let wait = byteBucket.take(bytes, perSecond: rate, at: now)
      if wait > 0 { return QuotaRefusal(byteKind, rate, waitNanoseconds: wait) }
    }
    return nil
  }
}
