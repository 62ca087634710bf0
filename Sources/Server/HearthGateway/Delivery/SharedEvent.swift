import HearthEngine
import HearthTransport
import HearthTree
import HearthWire
import NIOCore

/// An event on one loop, encoded at most once for each form of delivery.
final class SharedEvent {
  let event: Event
  /// True when the event has no other recipient on this loop.
  let isForOne: Bool
  private var plain: OutboundMessage?
  private var tagged: [Int32: OutboundMessage] = [:]

  /// The maximum number of messages that are kept for the next client with the same tag. Clients count from 1, so most clients that
  /// show the same page use the same few.
  private static let taggedMax = 8

  /// The encoded messages of a large event, by their tags; nil for one that is larger than any client may be sent.
  private var large: [Int32?: OutboundMessage?] = [:]
  /// The callbacks for a message that is being made, by its tag. There may be thousands, so each is added in place.
  private var waiting: [Int32?: [(OutboundMessage?) -> Void]] = [:]
  /// True when its messages are not made on the event loop.
  private(set) lazy var isLarge = event.change.exceeds(bytes: LargeValuePool.loopBytesMax)

  /// The texts for event streams; nil before the first of them needs one.
  var texts: StreamTexts?

  init(_ event: Event, isForOne: Bool) {
    self.event = event
    self.isForOne = isForOne
  }

  /// Returns the push on a socket. Frames of servers are not masked, so the same bytes go to every socket.
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

  /// Makes the push on a socket of a large event, away from the loop, once for all recipients.
  ///
  /// - Parameter completion: called on `loop`, at once when the message exists; with nil when it is too large for every
  ///   client, or the server stops.
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
  /// Returns the push message for this change.
  func push(tag: Int32?) -> ServerMessage {
    switch change {
    case .put(let node): .push(.put(path: path, node: node, tag: tag))
    case .merge(let entries):
      .push(.merge(path: path, changes: entries.map { (path: $0.path, node: $0.node) }, tag: tag))
    case .ranges(let ranges): .push(.ranges(path: path, ranges, tag: tag))
    }
  }
}
