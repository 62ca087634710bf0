import HearthSync

extension DatabaseQuery {
  /// The data, now and after each change, as an asynchronous sequence.
  ///
  /// ```swift
  /// for try await snapshot in ref.values { print(snapshot.value ?? "nothing") }
  /// ```
  ///
  /// Each loop has its own observer, which ends when the loop is left or its task is cancelled. When values come faster
  /// than the loop takes them, only the latest waits. The loop ends with a ``DatabaseError`` when the server revokes
  /// the permission.
  public var values: DatabaseValues { DatabaseValues(query: self) }

  /// Returns the data as values of a type, nil when there is no data; otherwise like ``values``.
  ///
  /// The loop ends with a `DecodingError` when the data cannot be decoded.
  public func values<Value: Decodable & Sendable>(
    as type: Value.Type, decoder: Database.Decoder = Database.Decoder()
  ) -> DatabaseTypedValues<Value> {
    DatabaseTypedValues(values: values, decoder: decoder)
  }

  /// Returns events of some types, in order; by default those of children.
  ///
  /// Each loop has its own observer, which ends when the loop is left or its task is cancelled. It ends with a
  /// ``DatabaseError`` when the server revokes the permission.
  public func events(
    of types: Set<DataEventType> = [.childAdded, .childRemoved, .childChanged, .childMoved],
    buffering: DatabaseEventBuffering = .failing(at: 1024)
  ) -> DatabaseEvents {
    DatabaseEvents(query: self, types: types, buffering: buffering)
  }
}

/// The sequence of ``DatabaseQuery/values``.
public struct DatabaseValues: AsyncSequence, Sendable {
  let query: DatabaseQuery

  /// Starts to observe.
  public func makeAsyncIterator() -> Iterator {
    Iterator(stream: query.stream([.value], .bufferingNewest(1), limit: nil))
  }

  /// A single observation.
  public struct Iterator: AsyncIteratorProtocol {
    private var events: AsyncThrowingStream<DatabaseEvent, any Error>.Iterator

    init(stream: AsyncThrowingStream<DatabaseEvent, any Error>) { events = stream.makeAsyncIterator() }

    /// Returns the next value; nil when the task was cancelled.
    public mutating func next() async throws -> DataSnapshot? { try await events.next()?.snapshot }

    /// Returns the next value; nil when the task was cancelled.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> DataSnapshot? {
      try await events.next(isolation: actor)?.snapshot
    }
  }
}

/// The sequence of ``DatabaseQuery/values(as:decoder:)``.
public struct DatabaseTypedValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  let values: DatabaseValues
  let decoder: DatabaseDecoder

  /// Starts to observe.
  public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator(), decoder: decoder) }

  /// A single observation.
  public struct Iterator: AsyncIteratorProtocol {
    private var values: DatabaseValues.Iterator
    private let decoder: DatabaseDecoder

    init(values: DatabaseValues.Iterator, decoder: DatabaseDecoder) {
      self.values = values
      self.decoder = decoder
    }

    /// Returns the next value: `.some(nil)` when there is no data, `.none` when the task was cancelled.
    public mutating func next() async throws -> Value?? {
      guard let snapshot = try await values.next() else { return nil }
      return .some(snapshot.exists() ? try snapshot.data(as: Value.self, decoder: decoder) : nil)
    }

    /// Returns the next value: `.some(nil)` when there is no data, `.none` when the task was cancelled.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value?? {
      guard let snapshot = try await values.next(isolation: actor) else { return nil }
      return .some(snapshot.exists() ? try snapshot.data(as: Value.self, decoder: decoder) : nil)
    }
  }
}

/// The sequence of ``DatabaseQuery/events(of:buffering:)``.
public struct DatabaseEvents: AsyncSequence, Sendable {
  let query: DatabaseQuery
  let types: Set<DataEventType>
  let buffering: DatabaseEventBuffering

  /// Starts to observe.
  public func makeAsyncIterator() -> AsyncThrowingStream<DatabaseEvent, any Error>.Iterator {
    let stream =
      switch buffering {
      case .failing(let limit): query.stream(types, .bufferingOldest(Swift.max(1, limit)), limit: limit)
      case .droppingOldest(let limit): query.stream(types, .bufferingNewest(Swift.max(1, limit)), limit: nil)
      case .unbounded: query.stream(types, .unbounded, limit: nil)
      }
    return stream.makeAsyncIterator()
  }
}

extension DatabaseQuery {
  /// Returns the events of an observer that is removed when the stream is released.
  ///
  /// - Parameter limit: The number of waiting events above which the stream ends with an error; nil to drop events as
  ///   `policy` says.
  fileprivate func stream(
    _ types: Set<DataEventType>,
    _ policy: AsyncThrowingStream<DatabaseEvent, any Error>.Continuation.BufferingPolicy, limit: Int?
  ) -> AsyncThrowingStream<DatabaseEvent, any Error> {
    AsyncThrowingStream(bufferingPolicy: policy) { continuation in
      let (query, repository) = (self, database.repository)
      let id = repository.nextRegistration()
      continuation.onTermination = { _ in repository.remove(id, from: query.spec) }
      let observer = Observer(
        spec: spec, types: types.reduce(into: []) { $0.formUnion($1.eventType) }, isInline: true,
        onEvent: Callback(plain: { event in
          guard let event = query.event(event) else { return }
          if case .dropped = continuation.yield(event), let limit {
            continuation.finish(throwing: DatabaseEventsOverflow(limit: limit))
          }
        }), onCancel: Callback(plain: { continuation.finish(throwing: $0) }))
      repository.observe(id, observer)
    }
  }

  private func event(_ event: DataEvent) -> DatabaseEvent? {
    guard let type = DataEventType.allCases.first(where: { $0.eventType == event.type }) else { return nil }
    return DatabaseEvent(type: type, snapshot: snapshot(of: event), previousKey: event.previousKey?.text)
  }
}
