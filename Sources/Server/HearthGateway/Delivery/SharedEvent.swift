import HearthEngine
import HearthTransport
import HearthTree
import HearthWire
import NIOCore

/// An event on one loop, encoded at most once for each form in which clients are told of it.
final class SharedEvent {
  let event: Event
  /// Nobody else on this loop is told.
  let isForOne: Bool
  private var plain: OutboundMessage?
  private var tagged: [Int32: OutboundMessage] = [:]

  /// Messages that are kept for the next client of the same tag. Clients count from 1, so most of those who show the same
  /// page use the same few.
  private static let taggedMax = 8

  /// The messages of a large event that are made, by their tags; nil for one that is larger than any client may be sent.
  private var large: [Int32?: OutboundMessage?] = [:]
  /// Callbacks for a message that is being made, by its tag. Thousands may, so each is added in place.
  private var waiting: [Int32?: [(OutboundMessage?) -> Void]] = [:]
  /// Its messages are not made on the event loop.
  private(set) lazy var isLarge = event.change.exceeds(bytes: LargeValuePool.loopBytesMax)

  /// For event streams; made with the first of them that is told.
  var texts: StreamTexts?

  init(_ event: Event, isForOne: Bool) {
    self.event = event
    self.isForOne = isForOne
  }

  /// The push on a socket. Frames of servers are not masked, so the same bytes go to every socket.
  func message(tag: Int32?) -> OutboundMessage {
    guard let tag else { return plainMessage() }
    if let message = tagged[tag] { return message }
    guard !isForOne else { return OutboundMessage(event.push(tag: tag)) }
    let message = plainMessage().text.withUnsafeReadableBytes { text in
      OutboundMessage(text: ServerMessage.text(text, tag: tag))
    }
    if tagged.count < Self.taggedMax { tagged[tag] = message }
    return message
  }

  /// The push on a socket of an event that is large, made away from the loop, once for all who are told.
  ///
  /// - Parameter completion: called on `loop`, at once when the message is there; with nil when it is too large for
  ///   anybody, or the server stops.
  func largeMessage(
    tag: Int32?, in pool: LargeValuePool, on loop: any EventLoop, completion: @escaping (OutboundMessage?) -> Void
  ) {
    if let made = large[tag] { return completion(made) }
    guard waiting[tag]?.append(completion) == nil else { return }
    waiting[tag] = [completion]
    let event = event
    pool.run(on: loop) { () -> OutboundMessage? in
      guard !event.change.exceeds(bytes: DataLimits.readSizeBytesMax) else { return nil }
      guard case .put(let node) = event.change else { return OutboundMessage(event.push(tag: tag), in: pool.memory) }
      return pool.recent.text(of: node, in: .push(event.path, tag: tag)) {
        OutboundMessage(event.push(tag: tag)).frame
      }.map(OutboundMessage.init)
    } completion: { made in
      let message = made ?? nil
      self.large.updateValue(message, forKey: tag)
      for completion in self.waiting.removeValue(forKey: tag) ?? [] { completion(message) }
    }
  }

  private func plainMessage() -> OutboundMessage {
    if let plain { return plain }
    let message = OutboundMessage(event.push(tag: nil))
    plain = message
    return message
  }
}

extension Event {
  /// The push that tells of this change.
  func push(tag: Int32?) -> ServerMessage {
    switch change {
    case .put(let node): .push(.put(path: path, node: node, tag: tag))
    case .merge(let entries):
      .push(.merge(path: path, changes: entries.map { (path: $0.path, node: $0.node) }, tag: tag))
    case .ranges(let ranges): .push(.ranges(path: path, ranges, tag: tag))
    }
  }
}
