import HearthTree
import NIOCore

/// What the server holds for one connection: bytes of what its client has begun to say, and bytes of what waits for the
/// client to take it. Tells the memory of all loops about it when it is enough to count.
///
/// Used on its event loop only.
package final class MemoryShare {
  private let loop: TransportLoop
  /// What is written is copied for this connection as it is encrypted.
  private let isEncrypted: Bool
  /// The client's; nil where that is not known.
  private let network: NetworkPrefix?
  private weak var owner: (any TransportConnection)?
  /// Since there is something that counts.
  private var id: ClientMemory.Table.ID?
  private var claim = ClientMemory.Table.Claim()
  private var told = ClientMemory.Table.Claim()

  private var inboundBytes = 0
  private var waitingBytes = 0
  /// Since the beginning.
  private var (arrivedBytes, takenBytes) = (0, 0)
  /// Large texts on their way to the client, and their bytes.
  private var texts: [ClientMemory.Table.ID: (text: SharedText, uses: Int)] = [:]
  private var textBytes = 0

  /// Bytes given to the connection since the beginning.
  package fileprivate(set) var written = 0

  /// Nothing is held yet.
  ///
  /// - Parameters:
  ///   - owner: told to go when too much is held for it.
  ///   - isEncrypted: what is written goes through TLS, so that the channel copies it.
  ///   - network: of the client; nil where that is not known.
  package init(
    loop: TransportLoop, owner: any TransportConnection, isEncrypted: Bool, from network: NetworkPrefix? = nil
  ) {
    self.loop = loop
    self.network = network
    self.owner = owner
    self.isEncrypted = isEncrypted
  }

  // MARK: What is held

  /// Counts what is kept of something that is not complete.
  ///
  /// - Parameter arrived: bytes of it that have just come.
  package func setInbound(_ bytes: Int, arrived: Int = 0) {
    inboundBytes = bytes
    arrivedBytes &+= arrived
    tell()
  }

  /// Counts what waits for the client.
  package func setOutbound(_ bytes: Int) {
    takenBytes = written &- bytes
    // Also when as much waits as before: who takes it and is given more is not slow.
    guard bytes != waitingBytes || id != nil else { return }
    waitingBytes = bytes
    tell()
  }

  /// The bytes that have come are a large body of a caller without a credential.
  var isAnonymous: Bool {
    get { claim.isAnonymous }
    set { mark(\.isAnonymous, newValue) }
  }

  /// What has come is complete and is being worked on: it would not be free if the connection went.
  var isFixed: Bool {
    get { claim.isFixed }
    set { mark(\.isFixed, newValue) }
  }

  private func mark(_ flag: WritableKeyPath<ClientMemory.Table.Claim, Bool>, _ isSet: Bool) {
    guard claim[keyPath: flag] != isSet else { return }
    claim[keyPath: flag] = isSet
    tell()
  }

  /// A large text waits for the client. Until ``letGo(_:)`` it does not count as the connection's own.
  package func hold(_ text: SharedText) {
    texts[text.id] = (text, (texts[text.id]?.uses ?? 0) + 1)
    textBytes += text.sizeBytes
    loop.memory.hold(text.id, by: begin())
  }

  /// The text was taken, or is not sent any more: undoes one ``hold(_:)``.
  package func letGo(_ text: SharedText) {
    guard let uses = texts[text.id]?.uses else { return }
    texts[text.id] = uses > 1 ? (text, uses - 1) : nil
    textBytes -= text.sizeBytes
    // What was counted as waiting had the text in it.
    waitingBytes = max(0, waitingBytes - text.sizeBytes)
    if texts.isEmpty, told.ownBytes == 0 { return leave() }
    if let id { loop.memory.letGo(text.id, by: id) }
  }

  // MARK: The memory's side

  private func begin() -> ClientMemory.Table.ID {
    if let id { return id }
    let id = loop.memory.add(at: loop, from: network, movedBytes: arrivedBytes &+ takenBytes)
    self.id = id
    if let owner { loop.holders[id] = owner }
    return id
  }

  /// Tells when it has changed by a step, or when what was told is over.
  private func tell() {
    claim.ownBytes = inboundBytes + max(0, waitingBytes - textBytes)
    claim.movedBytes = arrivedBytes &+ takenBytes
    let isOver = claim.ownBytes == 0 && told.ownBytes > 0
    let isNews = abs(claim.ownBytes - told.ownBytes) >= loop.memory.limits.stepBytes
    let isOther = id != nil && (claim.isFixed != told.isFixed || claim.isAnonymous != told.isAnonymous)
    let hasMoved = id != nil && claim.movedBytes &- told.movedBytes >= loop.memory.limits.stepBytes
    guard isOver || isNews || isOther || hasMoved else { return }
    if isOver, texts.isEmpty {
      told = claim
      return leave()
    }
    let id = begin()
    told = claim
    loop.memory.update(id, claim)
  }

  private func leave() {
    guard let id else { return }
    self.id = nil
    loop.holders[id] = nil
    loop.memory.remove(id)
  }

  /// Nothing is held any more.
  package func end() {
    leave()
    (claim, told, texts) = (ClientMemory.Table.Claim(), ClientMemory.Table.Claim(), [:])
    (inboundBytes, waitingBytes, textBytes) = (0, 0, 0)
  }

  /// The connection was told to go and has to stay: it counts as before.
  func stay() {
    guard id != nil else { return }
    leave()
    told = ClientMemory.Table.Claim(movedBytes: claim.movedBytes)
    for (text, uses) in texts.values {
      for _ in 0..<uses { loop.memory.hold(text.id, by: begin()) }
    }
    tell()
  }
}

// MARK: -

extension MemoryShare {
  /// So many bytes were taken by the client's socket without having been given to the connection. They wait for nobody.
  func wrotePastChannel(_ bytes: Int) { written &+= bytes }

  /// Writes a part of what the client is sent.
  ///
  /// - Parameter text: what the part counts as until it is written, or lost with the connection. The part stays in memory
  ///   whole until its last byte is taken.
  package func write(_ part: ByteBuffer, of text: SharedText? = nil, to context: ChannelHandlerContext) {
    written &+= part.readableBytes
    loop.wrote(part.readableBytes)
    guard let text, !isEncrypted else { return context.write(NIOAny(part), promise: nil) }
    hold(text)
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { _ in self.letGo(text) }
    context.write(NIOAny(part), promise: promise)
  }
}

extension ChannelHandlerContext {
  /// Bytes that were written and that the connection has not taken yet.
  package var waitingBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }
}
