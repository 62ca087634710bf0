import HearthEngine
import HearthTransport
import HearthTree
import NIOCore

/// The texts of an event for the streams of one loop, each made once.
///
/// Large ones are made away from the loop; streams that need one meanwhile wait for the same text.
final class StreamTexts {
  /// The text of an event for streams of one form.
  enum Text: Sendable {
    /// A text; a large one with its counter.
    case text(ByteBuffer, SharedText?)
    /// The event changes nothing in this form.
    case nothing
    case tooLarge
  }

  private let event: Event
  private let isLarge: Bool
  private var made: [StreamForm: Text] = [:]
  /// The callbacks for a large text that is being made, by its form. There may be thousands, so each is added in place.
  private var waiting: [StreamForm: [(Text?) -> Void]] = [:]

  init(_ event: Event, isLarge: Bool) {
    self.event = event
    self.isLarge = isLarge
  }

  /// Returns the text; nil when it is large and not made yet.
  func text(_ form: StreamForm) -> Text? {
    if let text = made[form] { return text }
    guard !isLarge else { return nil }
    let text = event.streamText(form).map { Text.text($0, nil) } ?? .nothing
    made[form] = text
    return text
  }

  /// Makes a large text.
  ///
  /// - Parameters:
  ///   - sizeBytesMax: the maximum size of the event's data in bytes.
  ///   - client: the first recipient, in whose turn it is made.
  ///   - completion: called on `loop`, not before this returns; with nil when its data cannot be read, and when the
  ///     server stops.
  func make(
    _ form: StreamForm, sizeBytesMax: Int, for client: PoolClient, in pool: LargeValuePool, on loop: any EventLoop,
    completion: @escaping (Text?) -> Void
  ) {
    guard waiting[form]?.append(completion) == nil else { return }
    waiting[form] = [completion]
    let event = event
    pool.run(on: loop, for: client, lane: PoolQueue.Lane(event.change)) { () -> Text in
      guard !event.change.exceeds(bytes: sizeBytesMax) else { return .tooLarge }
      guard case .put(let node) = event.change else {
        return event.streamText(form).map { .text($0, pool.memory.text(bytes: $0.readableBytes)) } ?? .nothing
      }
      return pool.recent.text(of: node, in: .stream(form, event.path)) { event.streamText(form) }.map(Text.text)
        ?? .nothing
    } completion: { text in
      self.made[form] = text
      for completion in self.waiting.removeValue(forKey: form) ?? [] { completion(text) }
    }
  }
}

extension SharedEvent {
  /// The event's texts for streams.
  var streamTexts: StreamTexts {
    if let texts { return texts }
    let made = StreamTexts(event, isLarge: isLarge)
    texts = made
    return made
  }
}
