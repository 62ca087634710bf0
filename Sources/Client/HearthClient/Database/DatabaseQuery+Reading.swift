import HearthSync
import HearthTree

extension DatabaseQuery {
  /// Reads the current data.
  ///
  /// The data is requested from the server, unless an observer has all of it already. Without a connection the result
  /// comes after three seconds: the data on disk, if there is any, otherwise an error.
  public func getData(completion block: @escaping @isolated(any) ((any Error)?, DataSnapshot?) -> Void) {
    get(
      Callback(block).mapped { result in
        switch result {
        case .success(let snapshot): (nil, snapshot)
        case .failure(let error): (error, nil)
        }
      })
  }

  /// Reads the current data; see ``getData(completion:)``.
  ///
  /// - Throws: ``DatabaseError`` when the server denies it, or cannot be reached and there is no data on disk.
  public nonisolated(nonsending) func getData() async throws -> DataSnapshot {
    try await withCheckedThrowingContinuation { continuation in
      get(Callback(plain: { continuation.resume(with: $0) }))
    }
  }

  private func get(_ completion: Callback<Result<DataSnapshot, any Error>>) {
    let (query, spec) = (self, spec)
    database.repository.perform(
      .get(
        completion.mapped { outcome in
          switch outcome {
          case .value(let node): .success(DataSnapshot(query.ref, node, order: query.order))
          case .failed(let failure): .failure(DatabaseError(failure))
          }
        }),
      { core, operation in core.get(spec, operation: operation) })
  }

  /// Returns the first event of a type. Waits while there is none, even when the server denies it; when the task is
  /// cancelled it returns an empty snapshot. ``singleEvent(of:)`` throws in both cases.
  @discardableResult
  public nonisolated(nonsending) func observeSingleEvent(of eventType: DataEventType) async -> DataSnapshot {
    await observeSingleEventAndPreviousSiblingKey(of: eventType).0
  }

  /// Returns the first event of a type like the form above, with the key of the preceding child.
  @discardableResult
  public nonisolated(nonsending) func observeSingleEventAndPreviousSiblingKey(
    of eventType: DataEventType
  ) async -> (DataSnapshot, String?) {
    let event = try? await firstEvent(eventType, throwsDenial: false)
    return event.map { ($0.snapshot, $0.previousKey) } ?? (DataSnapshot(ref, .empty), nil)
  }

  /// Returns the first event of a type, with the key of the preceding child.
  ///
  /// - Throws: ``DatabaseError`` when the server denies it, `CancellationError` when the task was cancelled.
  public nonisolated(nonsending) func singleEvent(of eventType: DataEventType) async throws -> DatabaseEvent {
    try await firstEvent(eventType, throwsDenial: true)
  }

  private nonisolated(nonsending) func firstEvent(
    _ eventType: DataEventType, throwsDenial: Bool
  ) async throws -> DatabaseEvent {
    let (query, spec, repository, first) = (self, spec, database.repository, FirstEvent())
    let id = repository.nextRegistration()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard first.wait(continuation) else { return }
        let observer = Observer(
          spec: spec, types: eventType.eventType, isOnce: true,
          onEvent: Callback(plain: { event in
            let snapshot = query.snapshot(of: event)
            let previousKey = event.previousKey?.text
            first.finish(.success(DatabaseEvent(type: eventType, snapshot: snapshot, previousKey: previousKey)))
          }), onCancel: Callback(plain: { if throwsDenial { first.finish(.failure($0)) } }))
        repository.observe(id, observer)
      }
    } onCancel: {
      repository.remove(id, from: spec)
      first.finish(.failure(CancellationError()))
    }
  }
}

/// The wait of a task for an event or for its own cancellation.
private final class FirstEvent: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<DatabaseEvent, any Error>)
    case finished
  }
  private let state = LockedValue(State.idle)

  /// Begins to wait. Returns false when the result was there already, with which the task was resumed.
  func wait(_ continuation: CheckedContinuation<DatabaseEvent, any Error>) -> Bool {
    let isWaiting = state.withLock { state in
      guard case .idle = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !isWaiting { continuation.resume(throwing: CancellationError()) }
    return isWaiting
  }

  func finish(_ result: Result<DatabaseEvent, any Error>) {
    let before = state.withLock { state in
      defer { state = .finished }
      return state
    }
    if case .waiting(let continuation) = before { continuation.resume(with: result) }
  }
}
