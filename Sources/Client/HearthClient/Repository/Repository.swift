import Dispatch
import Foundation
import HearthSync
import HearthTree

/// The client side of one database: it owns ``SyncCore`` and the connection, and runs all their work on its serial
/// queue. Calls come from any thread, return at once and take effect in order.
///
/// Blocks of the app run on the callback queue, or on the actor that they are isolated to, in the order of their
/// events; only a transaction's block runs on the repository's queue, which waits for it.
final class Repository: @unchecked Sendable {
  // Unchecked because variables are confined to the queue or held in a mutex.

  let queue: DispatchQueue
  let callbackQueue: DispatchQueue
  /// The observers, which are read again when an event is delivered.
  private let observers = LockedValue(Observers())
  /// The server's clock minus this machine's, in milliseconds.
  private let timeOffset = LockedValue<Int64>(0)
  private let number = LockedValue(0)

  // Confined to the queue.
  var core: SyncCore
  var link: (any RepositoryLink)?
  var connection: DatabaseConnection?
  /// The credential presented to the server.
  var credential = SentCredential()
  var stopsListening: (() -> Void)?
  var reachability: Reachability?
  /// The folder of the data on disk; nil when none is stored.
  var folder: RepositoryFolder?
  /// The operations that wait for an outcome.
  private var outcomes: [OperationID: Outcome] = [:]
  private var timer: (any DispatchSourceTimer)?

  /// The receiver of an operation's outcome.
  enum Outcome {
    case write(Callback<DatabaseError?>)
    case transaction(Callback<TransactionOutcome>)
    case get(Callback<GetOutcome>)
  }

  /// Creates a repository without a connection and a store.
  init(name: String, settings: RepositorySettings) {
    queue = DispatchQueue(label: "hearth.database." + name)
    callbackQueue = settings.callbackQueue
    core = SyncCore(clock: Self.nowMilliseconds, getTimeoutMilliseconds: settings.getTimeoutMilliseconds)
  }

  /// Returns the wall clock in milliseconds since 1970.
  static func nowMilliseconds() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  /// Runs work on the repository's queue, after all earlier work.
  func enqueue(_ work: @escaping (Repository) -> Void) {
    let work = UnsafeTransfer(work)
    queue.async { work.value(self) }
  }

  /// Performs the effects of a step of ``SyncCore``: delivers events and sends requests.
  func perform(_ reaction: Reaction) {
    for event in reaction.events { deliver(event) }
    for request in reaction.requests { link?.send(request) }
    timeOffset.withLock { $0 = core.serverTimeOffsetMilliseconds }
    schedule()
  }

  /// Returns a new number, for registrations and operations.
  private func nextNumber() -> Int {
    number.withLock {
      $0 += 1
      return $0
    }
  }

  /// The server's estimated time in milliseconds since 1970.
  var serverTimeMilliseconds: Int64 { Self.nowMilliseconds() &+ timeOffset.withLock { $0 } }

  private func schedule() {
    timer?.cancel()
    timer = nil
    guard let deadline = core.nextDeadlineMilliseconds else { return }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    let wait = min(max(0, deadline - Self.nowMilliseconds()), 86_400_000)
    timer.schedule(deadline: .now() + .milliseconds(Int(wait)))
    timer.setEventHandler { [weak self] in
      guard let self else { return }
      perform(core.timePassed())
    }
    timer.resume()
    self.timer = timer
  }
}

// MARK: Observers

extension Repository {
  /// Returns a new identifier for an observer.
  func nextRegistration() -> RegistrationID { RegistrationID(nextNumber()) }

  func observe(_ id: RegistrationID, _ observer: Observer) {
    observers.withLock { $0.add(id, observer) }
    enqueue { worker in
      // The observer may have been removed meanwhile.
      guard worker.observers.withLock({ $0[id] }) != nil else { return }
      worker.perform(worker.core.listen(observer.spec, Registration(id, types: observer.types)))
    }
  }

  /// Removes one observer; does nothing when it is missing or belongs to another query.
  func remove(_ id: RegistrationID, from spec: QuerySpec) { remove(from: spec) { $0 == id } }

  /// Removes all observers of a query.
  func removeAll(from spec: QuerySpec) { remove(from: spec) { _ in true } }

  private func remove(from spec: QuerySpec, where predicate: (RegistrationID) -> Bool) {
    let ids = observers.withLock { $0.remove(from: spec, where: predicate) }
    if ids.isEmpty { return }
    enqueue { worker in
      for id in ids { worker.perform(worker.core.remove(id, from: spec)) }
    }
  }

  /// The number of observers.
  var observerCount: Int { observers.withLock { $0.count } }

  func keepSynced(_ spec: QuerySpec, _ isOn: Bool) {
    enqueue { $0.perform($0.core.keepSynced(spec, isOn)) }
  }

  private func deliver(_ event: SyncEvent) {
    switch event {
    case .data(let event): deliver(event)
    case .cancelled(let cancellation): deliver(cancellation)
    case .completed(let operation, let failure):
      guard case .write(let completion)? = outcomes.removeValue(forKey: operation) else { return }
      completion.enqueue(failure.map { DatabaseError($0) }, or: callbackQueue)
    case .transactionCompleted(let operation, let outcome):
      guard case .transaction(let completion)? = outcomes.removeValue(forKey: operation) else { return }
      completion.enqueue(outcome, or: callbackQueue)
    case .got(let operation, let outcome):
      guard case .get(let completion)? = outcomes.removeValue(forKey: operation) else { return }
      completion.enqueue(outcome, or: callbackQueue)
    case .warning(let text): DatabaseLog.write(.warning, text)
    }
  }

  private func deliver(_ event: DataEvent) {
    let id = event.registration
    guard let observer = observers.withLock({ $0[id] }) else { return }
    if observer.isInline { return observer.onEvent(event) }
    observer.onEvent.executor.async(or: callbackQueue) { [self] in
      if observer.isOnce {
        guard observers.withLock({ $0.remove(id) }) != nil else { return }
        enqueue { $0.perform($0.core.remove(id, from: observer.spec)) }
      } else {
        guard observers.withLock({ $0[id] }) != nil else { return }
      }
      observer.onEvent(event)
    }
  }

  private func deliver(_ cancellation: ListenCancellation) {
    let id = cancellation.registration
    guard let observer = observers.withLock({ $0[id] }) else { return }
    let error = DatabaseError(cancellation.failure)
    DatabaseLog.write(.warning, "listen at \(observer.spec.path) was cancelled: \(cancellation.failure.status)")
    if observer.isInline {
      _ = observers.withLock { $0.remove(id) }
      return observer.onCancel(error)
    }
    observer.onCancel.executor.async(or: callbackQueue) { [self] in
      guard observers.withLock({ $0.remove(id) }) != nil else { return }
      observer.onCancel(error)
    }
  }
}

// MARK: Operations

extension Repository {
  /// Starts an operation of ``SyncCore`` that has an outcome.
  func perform(
    _ outcome: Outcome?, _ step: @escaping (SyncCore, OperationID) -> Reaction
  ) {
    let operation = OperationID(nextNumber())
    enqueue { worker in
      if let outcome { worker.outcomes[operation] = outcome }
      worker.perform(step(worker.core, operation))
    }
  }

  /// Drops every write that the server has not acknowledged.
  func purgeOutstandingWrites() {
    enqueue { worker in worker.perform(worker.core.purgeOutstandingWrites()) }
  }
}

extension DatabaseError {
  convenience init(_ failure: SyncFailure) {
    self.init(status: failure.status, reason: failure.message.isEmpty ? nil : failure.message)
  }
}

/// A value that is passed from the caller's thread to the repository's queue, and used only there.
struct UnsafeTransfer<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// The connection that carries the requests of ``SyncCore`` to the server. Confined to the repository's queue.
protocol RepositoryLink {
  /// Sends a request of ``SyncCore`` over the connection that is open now.
  func send(_ request: SyncRequest)
}
