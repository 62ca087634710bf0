import HearthSystem
import HearthTree
import Synchronization

/// A queue that limits the concurrent requests to a plugin, or to another service. Each client has a queue of its own,
/// so that a client with many requests delays only itself; clients share the capacity: ``ShareRule``.
package final class ConcurrencyLimiter: Sendable {
  /// The maximum number of waiting requests; more are refused at once.
  package static let waitingMax = 1_024
  /// The maximum size of the waiting requests, in bytes.
  package static let waitingBytesMax = 16 << 20

  /// The outcome of waiting.
  package enum Admission: Sendable, Equatable {
    /// The request may be sent; ``ConcurrencyLimiter/release()`` follows.
    case acquired
    /// The request was refused because too many wait, in all or of its client.
    case refused
    /// The request timed out, or its task was cancelled, before its turn.
    case late
  }

  private struct Waiter: Sendable {
    var id: UInt64
    var bytes: FairShareLimit.Claim
    var continuation: CheckedContinuation<Admission, Never>
  }

  private struct State {
    var slots: Int
    var underWayCount = 0
    var lastID: UInt64 = 0
    var refusedCount = 0
    var queue: FairQueue<ShareClaimant, Waiter>
    var bytes: FairShareLimit
  }

  private let state: Mutex<State>

  /// - Parameter slots: the maximum number of concurrent requests.
  package init(slots: Int, waitingMax: Int = waitingMax, waitingBytesMax: Int = waitingBytesMax) {
    state = Mutex(
      State(
        slots: max(1, slots), queue: FairQueue(countMax: waitingMax, countPerClientMax: waitingMax),
        // A request up to this size is admitted while there is room, however much other clients have waiting.
        bytes: FairShareLimit(max: waitingBytesMax, unit: waitingBytesMax / 1_024)))
  }

  /// The number of waiting requests.
  package var waitingCount: Int { state.withLock { $0.queue.count } }

  /// The number of requests that were refused, or whose time ran out before their turn.
  package var refusedCount: Int { state.withLock { $0.refusedCount } }

  /// The number of requests under way.
  package var underWayCount: Int { state.withLock { $0.underWayCount } }

  /// Changes the maximum number of concurrent requests.
  func setSlots(_ slots: Int) {
    resume(
      state.withLock { state in
        state.slots = max(1, slots)
        return Self.admitted(&state)
      })
  }

  /// Waits for a request's turn.
  ///
  /// - Parameters:
  ///   - client: the client that sent it. The server's own requests count as an administrator's.
  ///   - sizeBytes: evaluated only when the request has to wait.
  package func acquire(
    _ client: ShareClaimant, sizeBytes: @autoclosure () -> Int, milliseconds: Int64
  ) async -> Admission {
    let id = state.withLock { state -> UInt64? in
      if state.underWayCount < state.slots, state.queue.count == 0 {
        state.underWayCount += 1
        return nil
      }
      state.lastID += 1
      return state.lastID
    }
    guard let id else { return .acquired }
    let (size, queueOwner) = (sizeBytes(), Self.queueOwner(of: client))
    var timer: Task<Void, any Error>?
    let admission = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        wait(id, client, queueOwner, size, continuation)
        if Task.isCancelled { giveUp(id, queueOwner) }
        timer = Task { [weak self] in
          try await Task.sleep(for: .milliseconds(max(1, milliseconds)))
          self?.giveUp(id, queueOwner)
        }
      }
    } onCancel: {
      giveUp(id, queueOwner)
    }
    timer?.cancel()
    return admission
  }

  /// Frees the slot of a request that was answered or given up.
  package func release() {
    resume(
      state.withLock { state in
        state.underWayCount -= 1
        return Self.admitted(&state)
      })
  }

  // MARK: Waiting

  /// Returns the client whose queue a request waits in: the account, from any address; the address when there is no
  /// account.
  private static func queueOwner(of client: ShareClaimant) -> ShareClaimant {
    client.account == nil
      ? ShareClaimant(network: client.network, isAdministrator: client.isAdministrator)
      : ShareClaimant(account: client.account)
  }

  private func wait(
    _ id: UInt64, _ client: ShareClaimant, _ queueOwner: ShareClaimant, _ size: Int,
    _ continuation: CheckedContinuation<Admission, Never>
  ) {
    let (admission, admitted) = state.withLock { state -> (Admission?, [Waiter]) in
      var bytes = state.bytes.join(client)
      guard state.bytes.admit(size, to: &bytes),
        state.queue.append(Waiter(id: id, bytes: bytes, continuation: continuation), for: queueOwner, as: client)
      else {
        state.bytes.leave(&bytes)
        state.refusedCount += 1
        return (.refused, [])
      }
      // A slot may have become free meanwhile.
      return (nil, Self.admitted(&state))
    }
    if let admission { continuation.resume(returning: admission) }
    resume(admitted)
  }

  private func giveUp(_ id: UInt64, _ queueOwner: ShareClaimant) {
    let waiter = state.withLock { state -> Waiter? in
      guard var waiter = state.queue.remove(for: queueOwner, where: { $0.id == id }) else { return nil }
      state.bytes.leave(&waiter.bytes)
      state.refusedCount += 1
      return waiter
    }
    waiter?.continuation.resume(returning: .late)
  }

  /// Removes the requests whose turn has come from the queue.
  private static func admitted(_ state: inout State) -> [Waiter] {
    var admitted: [Waiter] = []
    while state.underWayCount < state.slots, var waiter = state.queue.popFirst() {
      state.bytes.leave(&waiter.bytes)
      state.underWayCount += 1
      admitted.append(waiter)
    }
    return admitted
  }

  private func resume(_ waiters: [Waiter]) {
    for waiter in waiters { waiter.continuation.resume(returning: .acquired) }
  }
}
