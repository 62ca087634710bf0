import HearthCluster
import HearthJournal

/// Checks that the events that clients received agree with the log. The log defines the order, so no search is needed:
/// one pass over the log and one over the events are enough.
///
/// Rows may be missing when the store lost them and a node has reported the loss, or when a node died that may have
/// been the last to know them.
package struct HistoryChecker {
  private let run: ClusterHistory
  package private(set) var violations: [String]
  /// The requested write at each position, with the writes that listeners receive for it and the position of the last
  /// one.
  private var contents: [Int64: WriteContent] = [:]
  private var deliveredWrites: [(position: Int64, content: WriteContent)] = []
  private var lastNumbers: [UInt32] = [0]
  /// The on-disconnect writes of each session, in the order of the requests.
  private var onDisconnect: [SessionID: [WriteContent]] = [:]
  private var numbers: Set<UInt32> = []
  private var table = SessionTable()
  private var opened: Set<SessionID> = []
  private var disconnected: [SessionID: Int] = [:]

  package init(_ run: Simulation) { self.init(ClusterHistory(run)) }

  package init(_ run: ClusterHistory) {
    self.run = run
    violations = run.violations
    replayLog()
    if !run.losses.isEmpty, run.lostTailAt == nil { report("a loss was reported, and there was none") }
    guard run.losses.isEmpty, run.lostTailAt == nil || run.nodes.allSatisfy(\.hasLived) else { return }
    for client in run.clients { check(client) }
    if run.lostTailAt == nil { checkRealTime() }
    checkRest()
  }

  private mutating func report(_ text: String) { violations.append(text) }

  /// Checks that the log is contiguous and chained, that epochs rise and each begins with its takeover and has one
  /// writer, and that it has every write once.
  private mutating func replayLog() {
    var head = JournalHead.empty
    var writers: [Int64: NodeID] = [:]
    for stored in run.stored {
      let row = stored.row
      if !row.follows(head) { report("row \(row.batch.firstPosition) does not follow \(head)") }
      guard let records = try? LogRecord.decode(row.batch) else { return report("a row that cannot be read") }
      if row.epoch != head.epoch, !(records.first?.isTakeover ?? false) {
        report("epoch \(row.epoch) begins without a takeover at \(row.batch.firstPosition)")
      }
      // A row that was restored belongs to another writer.
      if row.epoch == stored.epoch,
        writers.updateValue(stored.writer, forKey: row.epoch) ?? stored.writer != stored.writer
      {
        report("epoch \(row.epoch) has two writers")
      }
      for (place, record) in records.enumerated() { take(record, at: row.batch.firstPosition + Int64(place)) }
      head = row.head
    }
  }

  private mutating func take(_ record: LogRecord, at position: Int64) {
    lastNumbers.append(lastNumbers.last ?? 0)
    switch record {
    case .open(let session, _, _): opened.insert(session)
    case .write(let origin, let bytes):
      guard let all = WriteContent.all(in: bytes), all.count == 1 else { return report("a write that cannot be read") }
      let content = all[0]
      if !numbers.insert(content.number).inserted { report("write \(content.number) is in the log twice") }
      if table[origin.session] == nil { report("write \(content.number) is of a session that is none") }
      contents[position] = content
      if content.effect == .onDisconnect {
        let others = (onDisconnect[origin.session] ?? []).filter { $0.place != content.place }
        onDisconnect[origin.session] = others + [content]
      }
    case .disconnect(let session, let bytes):
      disconnected[session, default: 0] += 1
      if WriteContent.all(in: bytes) != onDisconnect.removeValue(forKey: session) ?? [] {
        report("the on-disconnect writes of \(session) are not those that were asked for")
      }
    default: break
    }
    deliveredWrites += record.deliveredWrites.map { (position, $0) }
    if let last = record.deliveredWrites.last { lastNumbers[lastNumbers.count - 1] = last.number }
    table.apply(record, at: position)
  }

  private mutating func check(_ client: SimulatedClient) {
    for (ticket, operation) in client.operations.sorted(by: { $0.key < $1.key }) {
      checkOutcome(of: operation, "client \(client.index) request \(ticket)")
      if client.state == .connected, operation.ended == nil {
        report("client \(client.index) request \(ticket) has no answer")
      }
    }
    let last = client.received.last?.position ?? client.listenStart
    let expected = deliveredWrites.filter { $0.position > client.listenStart && $0.position <= last }
    if !client.received.elementsEqual(expected, by: ==) {
      report(
        """
        client \(client.index) heard \(client.received.map { [$0.position, Int64($0.content.number)] }), and the log after \
        \(client.listenStart) is \(expected.map { [$0.position, Int64($0.content.number)] })
        """)
    }
    let cut = expected.first { $0.content.effect == .cut && $0.content.target == client.index }
    if let cut = cut?.position, last >= cut { report("client \(client.index) was cut at \(cut) and heard \(last)") }
    let count = disconnected[client.session] ?? 0
    if client.state == .connected ? count != 0 : count != (opened.contains(client.session) ? 1 : 0) {
      report("client \(client.index), \(client.state): its session \(client.session) was ended \(count) times")
    }
  }

  private mutating func checkOutcome(of operation: Operation, _ name: String) {
    switch (operation.kind, operation.outcome) {
    case (_, nil): break
    case (.write(let content), .applied(let position, let reply)):
      if contents[position] != content { report("\(name): acknowledged at \(position), and not there") }
      if content.effect == .refused { report("\(name): not allowed, and applied") }
      if reply != [], reply != .encoded(content.bytes) { report("\(name): told of something else") }
    case (.write(let content), .refused(_, let reply)):
      if reply != [], reply != SimulatedDecider.refusal { report("\(name): refused, and told something else") }
      if numbers.contains(content.number) { report("\(name): refused, and in the log") }
      if content.effect != .refused { report("\(name): allowed, and refused") }
    case (.get, .value(let bytes, let position)):
      let number = lastNumbers.indices.contains(Int(position)) ? lastNumbers[Int(position)] : nil
      if WriteContent(bytes)?.number != number { report("\(name): read something else than what is at \(position)") }
    default: report("\(name): \(String(describing: operation.outcome)) for \(operation.kind)")
    }
  }

  /// Checks that an operation that began after another one had ended follows it in the log, and that reads and refusals
  /// reflect it.
  private mutating func checkRealTime() {
    let all = run.clients.flatMap { client in
      client.operations.values.compactMap { operation -> (began: Int64, ended: Int64, position: Int64, isRead: Bool)? in
        guard let ended = operation.ended, let position = operation.outcome?.position else { return nil }
        var isRead = operation.kind == .get
        if case .refused = operation.outcome { isRead = true }
        return (operation.began, ended, position, isRead)
      }
    }
    let ended = all.sorted { ($0.ended, $0.position) < ($1.ended, $1.position) }
    var (place, highest): (Int, Int64) = (0, 0)
    for operation in all.sorted(by: { ($0.began, $0.position) < ($1.began, $1.position) }) {
      while place < ended.count, ended[place].ended < operation.began {
        highest = max(highest, ended[place].position)
        place += 1
      }
      if operation.isRead ? operation.position < highest : operation.position <= highest {
        report("at \(operation.began) began what is at \(operation.position), after the end of what is at \(highest)")
      }
    }
  }

  /// Checks that all nodes have the whole log once all faults have ended.
  private mutating func checkRest() {
    let head = run.stored.last?.row.head ?? .empty
    for node in run.nodes where node.isUp && node.head != head {
      report("\(node.id) is at \(node.head) at the end, and the log at \(head)")
    }
    if run.nodes.count(where: { $0.isOwner }) != 1 { report("there is not one owner at the end") }
  }
}
