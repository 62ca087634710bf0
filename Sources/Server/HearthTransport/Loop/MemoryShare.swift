import HearthTree
import NIOCore

/// The memory that the server holds for one connection: bytes of unfinished requests or messages, and bytes that wait
/// for the client to read them. Reports to the memory of all loops when it is large enough to count.
///
/// Used on its event loop only.
package final class MemoryShare {
  private let loop: TransportLoop
  /// True when written bytes are copied for this connection as they are encrypted.
  private let isEncrypted: Bool
  /// The client's network; nil when it is not known.
  private let network: NetworkPrefix?
  private weak var owner: (any TransportConnection)?
  /// The share's id in the memory's table; nil until the memory is large enough to count.
  private var id: ClientMemory.Table.ID?
  private var report = ClientMemory.Table.MemoryReport()
  private var lastReport = ClientMemory.Table.MemoryReport()

  private var inboundBytes = 0
  private var waitingBytes = 0
  /// The total bytes that have arrived, and that the client has taken.
  private var (arrivedBytes, takenBytes) = (0, 0)
  /// The large texts that wait for the client, by id, with the number of times each waits.
  private var texts: [ClientMemory.Table.ID: (text: SharedText, uses: Int)] = [:]
  private var textBytes = 0

  /// The total bytes given to the connection.
  package fileprivate(set) var written = 0

  /// Creates an empty share.
  ///
  /// - Parameters:
  ///   - owner: notified to close when too much is held for it.
  ///   - isEncrypted: true when written bytes go through TLS, so that the channel copies them.
  ///   - network: the client's network; nil when it is not known.
  package init(
    loop: TransportLoop, owner: any TransportConnection, isEncrypted: Bool, from network: NetworkPrefix? = nil
  ) {
    self.loop = loop
    self.network = network
    self.owner = owner
    self.isEncrypted = isEncrypted
  }

  // MARK: Counting

  /// Sets the size of the unfinished input.
  ///
  /// - Parameter arrived: the bytes of it that have just arrived.
  package func setInbound(_ bytes: Int, arrived: Int = 0) {
    inboundBytes = bytes
    arrivedBytes &+= arrived
    reportIfChanged()
  }

  /// Sets the number of bytes that wait for the client.
  package func setOutbound(_ bytes: Int) {
    takenBytes = written &- bytes
    // Reported also when the number is unchanged: a client that reads and is sent more is not slow.
    guard bytes != waitingBytes || id != nil else { return }
    waitingBytes = bytes
    reportIfChanged()
  }

  /// True when the arrived bytes are a large body of a caller without a credential.
  var isAnonymous: Bool {
    get { report.isAnonymous }
    set { mark(\.isAnonymous, newValue) }
  }

  /// True when the input is complete and being processed: closing the connection would not free it.
  var isBeingProcessed: Bool {
    get { report.isBeingProcessed }
    set { mark(\.isBeingProcessed, newValue) }
  }

  private func mark(_ flag: WritableKeyPath<ClientMemory.Table.MemoryReport, Bool>, _ isSet: Bool) {
    guard report[keyPath: flag] != isSet else { return }
    report[keyPath: flag] = isSet
    reportIfChanged()
  }

  /// Adds a large text that waits for the client. Until ``release(_:)`` it does not count as the connection's own.
  package func hold(_ text: SharedText) {
    texts[text.id] = (text, (texts[text.id]?.uses ?? 0) + 1)
    textBytes += text.sizeBytes
    loop.memory.hold(text.id, by: begin())
  }

  /// Undoes one ``hold(_:)``, when the text was taken or is not sent any more.
  package func release(_ text: SharedText) {
    guard let uses = texts[text.id]?.uses else { return }
    texts[text.id] = uses > 1 ? (text, uses - 1) : nil
    textBytes -= text.sizeBytes
    // The count of waiting bytes included the text.
    waitingBytes = max(0, waitingBytes - text.sizeBytes)
    if texts.isEmpty, lastReport.ownBytes == 0 { return leave() }
    if let id { loop.memory.release(text.id, by: id) }
  }

  // MARK: Reporting to the memory

  private func begin() -> ClientMemory.Table.ID {
    if let id { return id }
    let id = loop.memory.add(at: loop, from: network, movedBytes: arrivedBytes &+ takenBytes)
    self.id = id
    if let owner { loop.holders[id] = owner }
    return id
  }

  /// Reports the share when it has changed by a step, or when a reported one has become small.
  private func reportIfChanged() {
    report.ownBytes = inboundBytes + max(0, waitingBytes - textBytes)
    report.movedBytes = arrivedBytes &+ takenBytes
    let isOver = report.ownBytes == 0 && lastReport.ownBytes > 0
    let isNews = abs(report.ownBytes - lastReport.ownBytes) >= loop.memory.limits.stepBytes
    let isOther =
      id != nil
      && (report.isBeingProcessed != lastReport.isBeingProcessed || report.isAnonymous != lastReport.isAnonymous)
    let hasMoved = id != nil && report.movedBytes &- lastReport.movedBytes >= loop.memory.limits.stepBytes
    guard isOver || isNews || isOther || hasMoved else { return }
    if isOver, texts.isEmpty {
      lastReport = report
      return leave()
    }
    let id = begin()
    lastReport = report
    loop.memory.update(id, report)
  }

  private func leave() {
    guard let id else { return }
    self.id = nil
    loop.holders[id] = nil
    loop.memory.remove(id)
  }

  /// Ends the share: the connection holds no memory any more.
  package func end() {
    leave()
    (report, lastReport, texts) = (ClientMemory.Table.MemoryReport(), ClientMemory.Table.MemoryReport(), [:])
    (inboundBytes, waitingBytes, textBytes) = (0, 0, 0)
  }

  /// Restores the share of a connection that was asked to close and has to stay.
  func resetReport() {
    guard id != nil else { return }
    leave()
    lastReport = ClientMemory.Table.MemoryReport(movedBytes: report.movedBytes)
    for (text, uses) in texts.values {
      for _ in 0..<uses { loop.memory.hold(text.id, by: begin()) }
    }
    reportIfChanged()
  }
}

// MARK: -

extension MemoryShare {
  /// Records bytes that the client's socket took without the channel. They do not wait.
  func wrotePastChannel(_ bytes: Int) { written &+= bytes }

  /// Writes a part of the output.
  ///
  /// - Parameter text: the shared text that the part counts as until it is written, or lost with the connection. The
  ///   part stays in memory whole until its last byte is taken.
  package func write(_ part: ByteBuffer, of text: SharedText? = nil, to context: ChannelHandlerContext) {
    written &+= part.readableBytes
    loop.wrote(part.readableBytes)
    guard let text, !isEncrypted else { return context.write(NIOAny(part), promise: nil) }
    hold(text)
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { _ in self.release(text) }
    context.write(NIOAny(part), promise: promise)
  }
}

extension ChannelHandlerContext {
  /// The number of written bytes that the connection has not taken yet.
  package var waitingBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
