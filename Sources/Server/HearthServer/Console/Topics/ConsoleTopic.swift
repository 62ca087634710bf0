import HearthDatabase
import HearthGateway
import HearthTree
import NIOCore

/// A topic of `api/events`. A new topic is a type of its own and a line in ``EventsQuery``.
protocol ConsoleTopic: Sendable {
  /// The name in the parameter `topics`.
  static var name: String { get }

  /// - Parameter parameters: the request's parameters; a topic reads its own.
  /// - Throws: a sentence about an invalid parameter.
  init(_ parameters: [String: String]) throws(ConsoleFailure)

  /// Begins a feed for one stream.
  ///
  /// - Throws: when there is no room for another one.
  func begin(_ sources: ConsoleTopicSources) throws(ConsoleFailure) -> any ConsoleTopicFeed
}

/// The sources for the topics of a stream.
struct ConsoleTopicSources {
  let database: Database
  let services: GatewayServices
}

/// A topic's feed for one stream. Used on the stream's event loop only.
///
/// News wait in their source, never in a queue for a page that reads slowly.
protocol ConsoleTopicFeed: AnyObject {
  /// Polls the source. Called four times a second, also while the page reads nothing.
  func tick()
  /// Writes the news since the last call, if there are any. Not called while the page reads nothing.
  func write(to text: inout EventText)
  /// Ends the feed with its stream.
  func end()
}

extension ConsoleTopicFeed {
  func tick() {}
  func end() {}
}

/// Events of a stream, in the form of `text/event-stream`.
struct EventText {
  /// The number of times a second that topics are polled.
  static let ticksPerSecond = 4

  private(set) var bytes = ByteBuffer()

  var isEmpty: Bool { bytes.readableBytes == 0 }

  mutating func add(_ name: String, _ body: JSON) {
    bytes.writeString("event: \(name)\ndata: ")
    bytes.writeBytes(body.text())
    bytes.writeString("\n\n")
  }
}
