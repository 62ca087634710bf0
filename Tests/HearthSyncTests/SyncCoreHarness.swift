import HearthTree

@testable import HearthSync

/// A client core with a stopped clock, whose output is recorded as lines of text.
final class SyncCoreHarness {
  private final class Clock { var now: Int64 = 1_000_000 }
  private let clock: Clock
  let core: SyncCore
  private var nextOperation = 0
  private var nextRegistration = 0
  /// The output since the last ``take()``.
  private(set) var lines: [String] = []
  /// The last request of each action, by its name in the protocol, such as `p`, `q` or `g`.
  private(set) var requests: [String: RequestID] = [:]

  var now: Int64 {
    get { clock.now }
    set { clock.now = newValue }
  }

  init(store: (any SyncStore)? = nil, isConnected: Bool = true) {
    let clock = Clock()
    self.clock = clock
    core = SyncCore(clock: { clock.now }, store: store)
    if store != nil { note(core.restore()) }
    if isConnected { connect() }
    _ = take()
  }

  /// Returns a core with a listen at a path that has received its data.
  static func listening(to path: String, _ json: String) -> SyncCoreHarness {
    let harness = SyncCoreHarness()
    harness.listen(path)
    harness.push(path, json)
    harness.reply("q")
    _ = harness.take()
    return harness
  }

  func connect() {
    note(core.helloReceived(serverTimeMilliseconds: now))
    note(core.connectionReady())
  }

  func lose() { note(core.connectionLost()) }

  /// Returns the output and clears it.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  // MARK: The app's operations

  private func operation() -> OperationID {
    nextOperation += 1
    return OperationID(nextOperation)
  }

  @discardableResult
  func listen(_ path: String, _ query: Query = Query(), _ types: EventTypes = .value) -> RegistrationID {
    nextRegistration += 1
    let id = RegistrationID(nextRegistration)
    note(core.listen(QuerySpec(Path(path), query), Registration(id, types: types)))
    return id
  }

  func unlisten(_ id: RegistrationID, _ path: String, _ query: Query = Query()) {
    note(core.remove(id, from: QuerySpec(Path(path), query)))
  }

  func set(_ path: String, _ json: String) {
    note(core.set(Self.location(path), Self.value(json), operation: operation()))
  }

  func update(_ path: String, _ changes: [(String, String)]) {
    let writes = changes.map { Write(location: Self.location($0.0), value: Self.value($0.1)) }
    note(core.update(Path(path), writes, operation: operation()))
  }

  func transaction(_ path: String, showsLocally: Bool = true, _ update: @escaping (Node) -> WriteValue?) {
    note(core.transaction(Path(path), operation: operation(), showsLocally: showsLocally, update: update))
  }

  /// Runs a transaction that increments a number.
  func count(_ path: String) {
    transaction(path) { node in
      var number: Int64 = 0
      if case .int(let value)? = node.scalar { number = value }
      return WriteValue(Node(.int(number + 1)))
    }
  }

  func get(_ path: String, _ query: Query = Query()) {
    note(core.get(QuerySpec(Path(path), query), operation: operation()))
  }

  func onDisconnectSet(_ path: String, _ json: String) {
    note(core.onDisconnectSet(Self.location(path), Self.value(json), operation: operation()))
  }

  // MARK: The server's messages

  /// Answers the last request of this action.
  func reply(_ action: String, _ status: String = "ok", _ json: String = "null") {
    guard let id = requests[action] else { return lines.append("no request \(action)") }
    note(core.reply(id, SyncReply(status: status, node: Self.node(json))))
  }

  func push(_ path: String, _ json: String, tag: Int? = nil) {
    note(core.serverOverwrite(Self.location(path), Self.node(json), tag: tag))
  }

  func merge(_ path: String, _ changes: [(String, String)], tag: Int? = nil) {
    note(core.serverMerge(Path(path), changes.map { (Self.location($0.0), Self.node($0.1)) }, tag: tag))
  }

  // MARK: Text

  static func location(_ text: String) -> Location { (try? Location(wire: text)) ?? Location(path: .root) }

  static func value(_ json: String) -> WriteValue {
    Array(json.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      return (try? reader.writeValue()) ?? WriteValue(.empty)
    }
  }

  static func node(_ json: String) -> Node { value(json).node }

  static func text(_ node: Node) -> String { String(decoding: node.json(), as: UTF8.self) }

  func note(_ reaction: Reaction) {
    for event in reaction.events { lines.append(Self.text(event)) }
    for request in reaction.requests {
      let text = Self.text(request.body)
      requests[String(text.prefix { $0 != " " })] = request.id
      lines.append("> " + text)
    }
  }

  private static func text(_ event: SyncEvent) -> String {
    switch event {
    case .data(let event):
      let names: [UInt8: String] = [1: "removed", 2: "added", 4: "moved", 8: "changed", 16: "value"]
      let key = event.key.map { " \($0)" } ?? ""
      return
        "\(names[event.type.rawValue] ?? "")(\(event.registration.number)) \(event.query.path)\(key) \(text(event.node))"
    case .cancelled(let event):
      return "cancelled(\(event.registration.number)) \(event.query.path) \(event.failure.status)"
    case .completed(let id, let failure): return "done(\(id.number)) \(failure?.status ?? "ok")"
    case .transactionCompleted(let id, .committed(let node)): return "done(\(id.number)) committed \(text(node))"
    case .transactionCompleted(let id, .aborted(let node)): return "done(\(id.number)) aborted \(text(node))"
    case .transactionCompleted(let id, .failed(let failure, let node)):
      return "done(\(id.number)) \(failure.status) \(node.map { text($0) } ?? "-")"
    case .got(let id, .value(let node)): return "got(\(id.number)) \(text(node))"
    case .got(let id, .failed(let failure)): return "got(\(id.number)) \(failure.status)"
    case .warning(let text): return "warning \(text)"
    }
  }

  private static func text(_ body: SyncRequest.Body) -> String {
    func tagged(_ tag: Int?) -> String { tag.map { " tag \($0)" } ?? "" }
    func list(_ writes: [Write]) -> String {
      writes.map { "\($0.location) \(text($0.value.node))" }.joined(separator: ", ")
    }
    switch body {
    case .listen(let spec, let tag, let hash, let compound):
      return "q \(spec.path)\(tagged(tag))\(hash.isEmpty ? "" : " with hash")\(compound == nil ? "" : " and ranges")"
    case .unlisten(let spec, let tag): return "n \(spec.path)\(tagged(tag))"
    case .get(let spec): return "g \(spec.path)"
    case .put(let location, let value, let hash):
      return "p \(location) \(text(value.node))\(hash == nil ? "" : " if unchanged")"
        + (value.deferred.isEmpty ? "" : " with \(value.deferred.count) server values")
    case .merge(let path, let writes): return "m \(path) \(list(writes))"
    case .onDisconnectPut(let location, let value): return "o \(location) \(text(value.node))"
    case .onDisconnectMerge(let path, let writes): return "om \(path) \(list(writes))"
    case .onDisconnectCancel(let path): return "oc \(path)"
    }
  }
}
