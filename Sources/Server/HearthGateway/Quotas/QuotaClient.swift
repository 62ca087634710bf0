import HearthAccounts
import HearthSystem
import Synchronization

/// Who is counted as one client of a database.
enum QuotaClientName: Hashable, Sendable {
  /// Who is signed in, wherever from.
  case user(String)
  /// Where nobody is signed in, those of one network.
  case network(String)
  /// Those who came when there were too many to tell apart.
  case others

  /// The user; nil for a network.
  var uid: String? { if case .user(let uid) = self { uid } else { nil } }

  /// - Parameters:
  ///   - uid: of who is signed in.
  ///   - address: where the request or the socket comes from.
  init(uid: String?, address: @autoclosure () -> String) {
    if let uid { self = .user(uid) } else { self = .network(ClientNetwork(address()).text) }
  }
}

/// What one client has of a database.
final class QuotaClient: Sendable {
  private struct State {
    var connectionCount = 0
    var requests = TokenBucket()
    var bytes = TokenBucket()
  }

  let name: QuotaClientName
  private let state = Mutex(State())

  init(_ name: QuotaClientName) { self.name = name }

  /// Counts one more connection, if there may be one more.
  func connect(max: Int?) -> Bool {
    state.withLock { state in
      if let max, state.connectionCount >= max { return false }
      state.connectionCount += 1
      return true
    }
  }

  func disconnect() { state.withLock { $0.connectionCount -= 1 } }

  /// Returns true when nothing is lost when it is forgotten.
  func isAtRest(at now: Int64) -> Bool {
    state.withLock { $0.connectionCount == 0 && $0.requests.isFull(at: now) && $0.bytes.isFull(at: now) }
  }

  /// Counts a request, if there may be one more.
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

/// The rates of a database, as they are looked at with each request.
struct QuotaRates: Sendable {
  private let quotas: DatabaseQuotas

  init(_ quotas: DatabaseQuotas) { self.quotas = quotas }

  var limitsClients: Bool { quotas[.clientRequestsPerSecond] != nil || quotas[.clientBytesPerSecond] != nil }

  /// Takes a request of so many bytes out of two buckets. One that the second refuses stays counted in the first: it was
  /// asked.
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
