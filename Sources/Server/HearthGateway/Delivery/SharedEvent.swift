import HearthEngine
import HearthTransport
import HearthTree
import HearthWire
import NIOCore

/// A message that is made away from the event loop.
enum LargeMessage: Sendable {
  case message(OutboundMessage)
  /// The message is too large for every client.
  case tooLarge
}

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

  /// The encoded messages of a large event, by their tags.
  private var large: [Int32?: LargeMessage] = [:]
  /// The callbacks for a message that is being made, by its tag. There may be thousands, so each is added in place.
  private var waiting: [Int32?: [(LargeMessage?) -> Void]] = [:]
  /// True when its messages are not made on the event loop: they are large, or data of them is not in memory.
  private(set) lazy var isLarge = LargeValuePool.takes(event.change)

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
  /// - Parameters:
  ///   - client: the first recipient, in whose turn it is made.
  ///   - completion: called on `loop`, at once when the message exists; with nil when its data cannot be read, and when
  ///     the server stops.
  func largeMessage(
    tag: Int32?, for client: PoolClient, in pool: LargeValuePool, on loop: any EventLoop,
    completion: @escaping (LargeMessage?) -> Void
  ) {
    if let made = large[tag] { return completion(made) }
    guard waiting[tag]?.append(completion) == nil else { return }
    waiting[tag] = [completion]
    let event = event
    pool.run(on: loop, for: client, lane: PoolQueue.Lane(event.change)) { () -> LargeMessage in
      guard !event.change.exceeds(bytes: DataLimits.readSizeBytesMax) else { return .tooLarge }
      guard case .put(let node) = event.change else {
        return .message(OutboundMessage(event.push(tag: tag), in: pool.memory))
      }
      return pool.recent.text(of: node, in: .push(event.path, tag: tag)) {
        OutboundMessage(event.push(tag: tag)).frame
      }.map { .message(OutboundMessage(frame: $0.bytes, counted: $0.counted)) } ?? .tooLarge
    } completion: { message in
      self.large[tag] = message
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
