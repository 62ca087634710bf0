import HearthTree

/// The table of the memory that is held for each connection. It chooses the connections to close when it is too much.
///
/// A value without a clock or a lock. A text that many connections wait for counts once.
package struct ClientMemoryTable<Closer: Sendable>: Sendable {
  /// The unique id of a connection or a text.
  package typealias ID = UInt64

  /// The report of a connection about its memory.
  struct MemoryReport: Sendable, Equatable {
    /// The bytes that are held for it alone.
    var ownBytes = 0
    /// The total bytes that it has transferred.
    var movedBytes = 0
    /// True when its bytes are the large body of a caller without a credential.
    var isAnonymous = false
    /// True when its request is being processed: closing it would free no memory.
    var isBeingProcessed = false
  }

  private struct Holder {
    let closer: Closer
    /// The client's network; nil when it is not known.
    let network: NetworkPrefix?
    var report: MemoryReport
    /// The shared texts that wait for it, with the number of times each waits.
    var texts: [ID: Int] = [:]
    var rate: TransferRate
    /// True when it was asked to close, and is not closed yet.
    var isLeaving = false
  }

  private struct Text {
    let bytes: Int
    var userCount = 0
    /// True when all connections that wait for it were asked to close.
    var isLeaving = false
  }

  let heldBytesMax: Int
  let anonymousBytesMax: Int
  let limits: MemoryLimits

  /// The bytes that are held for clients now.
  private(set) var heldBytes = 0
  /// The bytes of large bodies without a credential.
  private(set) var anonymousBytes = 0
  /// The bytes of requests that are being processed.
  private(set) var processedBytes = 0
  /// The parts of ``heldBytes`` and ``anonymousBytes`` that become free once the closing connections have ended.
  private var leavingBytes = 0
  private var leavingAnonymousBytes = 0
  private var holders: [ID: Holder] = [:]
  private var texts: [ID: Text] = [:]

  init(heldBytesMax: Int, anonymousBytesMax: Int, limits: MemoryLimits) {
    self.heldBytesMax = heldBytesMax
    self.anonymousBytesMax = anonymousBytesMax
    self.limits = limits
  }

  var holderCount: Int { holders.count }

  // MARK: Changes

  /// Adds a connection.
  ///
  /// - Parameters:
  ///   - network: the client's network; nil when it is not known.
  ///   - movedBytes: the bytes that the connection has transferred before.
  ///   - milliseconds: on the monotonic clock.
  mutating func add(
    _ id: ID, at closer: Closer, from network: NetworkPrefix? = nil, movedBytes: Int = 0, milliseconds: Int64
  ) {
    let report = MemoryReport(movedBytes: movedBytes)
    holders[id] = Holder(
      closer: closer, network: network?.widest, report: report,
      rate: TransferRate(movedBytes, milliseconds: milliseconds))
  }

  mutating func update(_ id: ID, _ report: MemoryReport, milliseconds: Int64) {
    guard var holder = holders[id] else { return }
    count(holder, -1)
    holder.report = report
    holder.rate.note(report.movedBytes, milliseconds: milliseconds, limits)
    count(holder, 1)
    holders[id] = holder
  }

  mutating func remove(_ id: ID) {
    guard let holder = holders.removeValue(forKey: id) else { return }
    count(holder, -1)
    for (text, uses) in holder.texts { leave(text, uses, isLeaving: holder.isLeaving) }
  }

  mutating func add(text: ID, bytes: Int) {
    texts[text] = Text(bytes: bytes)
    heldBytes += bytes
  }

  mutating func remove(text: ID) {
    guard let removed = texts.removeValue(forKey: text) else { return }
    heldBytes -= removed.bytes
    if removed.isLeaving { leavingBytes -= removed.bytes }
  }

  /// Adds one use of the text by the given connection.
  mutating func hold(_ text: ID, by id: ID) {
    guard holders[id] != nil, texts[text] != nil else { return }
    holders[id]?.texts[text, default: 0] += 1
    guard holders[id]?.isLeaving == false else { return }
    texts[text]?.userCount += 1
    guard texts[text]?.isLeaving == true else { return }
    texts[text]?.isLeaving = false
    leavingBytes -= texts[text]?.bytes ?? 0
  }

  mutating func release(_ text: ID, by id: ID) {
    guard let uses = holders[id]?.texts[text] else { return }
    holders[id]?.texts[text] = uses > 1 ? uses - 1 : nil
    leave(text, 1, isLeaving: holders[id]?.isLeaving == true)
  }

  private mutating func leave(_ text: ID, _ uses: Int, isLeaving: Bool) {
    if !isLeaving { texts[text]?.userCount -= uses }
  }

  private mutating func count(_ holder: Holder, _ sign: Int) {
    let bytes = sign * holder.report.ownBytes
    heldBytes += bytes
    if holder.isLeaving { leavingBytes += bytes }
    if holder.report.isBeingProcessed { processedBytes += bytes }
    guard holder.report.isAnonymous else { return }
    anonymousBytes += bytes
    if holder.isLeaving { leavingAnonymousBytes += bytes }
  }

  // MARK: Choosing connections to close

  /// Returns the connections to close so that the held memory is a little below its limits again: first the largest and
  /// slowest of a network that has more than half of all, then of the others. Each is returned once.
  mutating func takeConnectionsToClose(milliseconds: Int64) -> [(id: ID, closer: Closer)] {
    var victims: [(id: ID, closer: Closer)] = []
    if anonymousBytes - leavingAnonymousBytes > anonymousBytesMax {
      for id in ranked(milliseconds, anonymousOnly: true) {
        guard anonymousBytes - leavingAnonymousBytes > anonymousBytesMax / 8 * 7 else { break }
        askToClose(id, &victims)
      }
    }
    if heldBytes - leavingBytes > heldBytesMax {
      for id in ranked(milliseconds, anonymousOnly: false) {
        guard heldBytes - leavingBytes > heldBytesMax / 8 * 7 else { break }
        askToClose(id, &victims)
      }
    }
    return victims
  }

  private func ranked(_ milliseconds: Int64, anonymousOnly: Bool) -> [ID] {
    var weights: [(id: ID, weight: Double)] = []
    var (sum, sums) = (0, [NetworkPrefix: Int]())
    for (id, holder) in holders where !holder.isLeaving && !holder.report.isBeingProcessed {
      guard !anonymousOnly || holder.report.isAnonymous else { continue }
      let bytes = holder.texts.reduce(holder.report.ownBytes) { $0 + (texts[$1.key]?.bytes ?? 0) }
      let rate = holder.rate.bytesPerSecond(holder.report.movedBytes, milliseconds: milliseconds)
      // The time to move as many bytes again, at its pace, as are held for it.
      guard bytes > 0 else { continue }
      weights.append((id, Double(bytes) / (rate + Double(limits.transferBytesPerSecondMin))))
      sum += bytes
      if let network = holder.network { sums[network, default: 0] += bytes }
    }
    guard let heavy = sums.first(where: { $0.value > sum / 2 })?.key else {
      return weights.sorted { $0.weight > $1.weight }.map(\.id)
    }
    // Connections of other networks follow after those of the heavy one.
    let ranks = weights.map { (id: $0.id, isOther: holders[$0.id]?.network != heavy, weight: $0.weight) }
    return ranks.sorted { $0.isOther == $1.isOther ? $0.weight > $1.weight : $1.isOther }.map(\.id)
  }

  private mutating func askToClose(_ id: ID, _ victims: inout [(id: ID, closer: Closer)]) {
    guard var holder = holders[id] else { return }
    holder.isLeaving = true
    holders[id] = holder
    leavingBytes += holder.report.ownBytes
    if holder.report.isAnonymous { leavingAnonymousBytes += holder.report.ownBytes }
    for (text, uses) in holder.texts {
      texts[text]?.userCount -= uses
      guard let waited = texts[text], waited.userCount <= 0, !waited.isLeaving else { continue }
      texts[text]?.isLeaving = true
      leavingBytes += waited.bytes
    }
    victims.append((id, holder.closer))
  }
}
