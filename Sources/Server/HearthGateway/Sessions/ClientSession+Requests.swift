import HearthEngine
import HearthTree
import HearthWire

/// The database actions of each message.
extension ClientSession {
  mutating func handle(_ message: ClientMessage, _ sizeBytes: Int, into outputs: inout [Output]) {
    switch message {
    case .ping: outputs.append(.send(.pong))
    case .endOfTransmission: outputs.append(.switchTransports)
    case .otherControl: break
    case .request(let request):
      let count = pending.count
      handle(request.action, request.number, sizeBytes, into: &outputs)
      guard pending.count > count else { return }
      pending[pending.index(before: pending.endIndex)].sizeBytes = sizeBytes
      unansweredBytes += sizeBytes
    }
  }

  private mutating func handle(
    _ action: Request.Action, _ number: Int32, _ sizeBytes: Int, into outputs: inout [Output]
  ) {
    switch action {
    case .listen(let listen): handle(listen, number, sizeBytes, into: &outputs)
    case .unlisten(let unlisten): handle(unlisten, number, into: &outputs)
    case .get(let get): handle(get, number, into: &outputs)
    case .put(let put):
      let change = WriteOperation.Change.put(put.write.location, put.write.value)
      write(.write(WriteOperation(change, expectedHash: put.hash)), number, into: &outputs)
    case .merge(let merge):
      write(.write(WriteOperation(merge.change, expectedHash: merge.hash)), number, into: &outputs)
    case .onDisconnectPut(let put):
      write(.onDisconnect(.put(put.location, put.value)), number, into: &outputs)
    case .onDisconnectMerge(let merge): write(.onDisconnect(merge.change), number, into: &outputs)
    case .onDisconnectCancel(let location):
      submit(.cancelOnDisconnect(location), number, .other, into: &outputs)
    case .authenticate(let credential):
      state = .verifying(request: number)
      outputs.append(.verify(credential))
    case .unauthenticate:
      isSimulating = false
      submit(.unauthenticate, number, .unauthenticate, into: &outputs)
    case .stats, .appCheck, .dropAppCheck: outputs.append(.send(.reply(number, .ok, .emptyText)))
    case .unknown(let name): refuse(number, "Unknown action \(name.prefix(32))", into: &outputs)
    case .refused(let refusal):
      outputs.append(.send(.reply(number, refusal.status, .text(refusal.text))))
    }
  }

  // MARK: Reading

  private mutating func handle(
    _ listen: Request.Listen, _ number: Int32, _ sizeBytes: Int, into outputs: inout [Output]
  ) {
    guard let sent = listen.query else {
      let request = ListenRequest(listen.path, hash: listen.hash, compound: listen.compound)
      return submit(.listen(request), number, .listen(ListenName(path: listen.path)), into: &outputs)
    }
    // Without a tag the client could not assign a push to one of its listens.
    guard let tag = listen.tag else { return refuse(number, "A listen with a query needs a tag", into: &outputs) }
    do throws(QueryError) {
      let query = try Query(wire: sent)
      guard queries.insert(tag, listen.path, query, sent: sent, sizeBytes: sizeBytes) else {
        return refuse(number, "The queries of this connection need too much memory", into: &outputs)
      }
      let request = ListenRequest(
        listen.path, hash: listen.hash, query: query, tag: tag, compound: listen.compound)
      submit(.listen(request), number, .listen(ListenName(path: listen.path, tag: tag)), into: &outputs)
    } catch {
      refuse(number, error.message, into: &outputs)
    }
  }

  /// Handles an unlisten. A listen with a query is known by its tag, or else by its query.
  private mutating func handle(_ unlisten: Request.Unlisten, _ number: Int32, into outputs: inout [Output]) {
    guard let sent = unlisten.query else {
      if let tag = unlisten.tag { queries.remove(tag, at: unlisten.path) }
      return submit(.unlisten(unlisten.path, tag: unlisten.tag), number, .other, into: &outputs)
    }
    let query = try? Query(wire: sent)
    if let tag = unlisten.tag ?? query.flatMap({ queries.tag(of: unlisten.path, $0) }) {
      queries.remove(tag, at: unlisten.path)
    }
    // An invalid query was never listened to.
    guard query != nil || unlisten.tag != nil else {
      return outputs.append(.send(.reply(number, .ok, .emptyText)))
    }
    submit(.unlisten(unlisten.path, query: query, tag: unlisten.tag), number, .other, into: &outputs)
  }

  private mutating func handle(_ get: Request.Get, _ number: Int32, into outputs: inout [Output]) {
    let path = get.location.path
    guard let sent = get.query else {
      return submit(.get(path), number, get.location.isPriority ? .priority : .other, into: &outputs)
    }
    // A priority has no children.
    guard !get.location.isPriority else { return refuse(number, PathError.text, into: &outputs) }
    do throws(QueryError) {
      submit(.get(path, try Query(wire: sent)), number, .other, into: &outputs)
    } catch {
      refuse(number, error.message, into: &outputs)
    }
  }

  // MARK: Writing, and responding

  private mutating func write(_ action: Command.Action, _ number: Int32, into outputs: inout [Output]) {
    guard !isSimulating else { return refuse(number, "This server does not simulate writes", into: &outputs) }
    submit(action, number, .other, into: &outputs)
  }

  mutating func submit(
    _ action: Command.Action, _ number: Int32, _ kind: Pending.Kind, into outputs: inout [Output]
  ) {
    pending.append(Pending(request: number, kind: kind))
    outputs.append(.submit(action, request: number))
  }

  private func refuse(_ number: Int32, _ text: String, into outputs: inout [Output]) {
    outputs.append(.send(.reply(number, .failed, .text(text))))
  }
}

extension Request.Merge {
  /// The same change with locations relative to ``path``.
  fileprivate var change: WriteOperation.Change {
    .merge(path, writes.compactMap { $0.relative(to: path) })
  }
}
