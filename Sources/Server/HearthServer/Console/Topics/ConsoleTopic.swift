import HearthDatabase
import HearthGateway
import HearthTree
import NIOCore

/// Something that `api/events` tells of as it happens. A new topic is a type of its own and a line in ``EventsQuery``.
protocol ConsoleTopic: Sendable {
  /// As the page asks for it in `topics`.
  static var name: String { get }

  /// - Parameter parameters: of the request; a topic reads its own.
  /// - Throws: a sentence about the parameter that cannot be.
  init(_ parameters: [String: String]) throws(ConsoleFailure)

  /// Begins to look, for one stream.
  ///
  /// - Throws: when there is no room for another one.
  func begin(_ scene: ConsoleScene) throws(ConsoleFailure) -> any ConsoleTopicFeed
}

/// What the topics of a stream look at.
struct ConsoleScene {
  let database: Database
  let services: GatewayServices
}

/// One topic of one stream. Used on the stream's event loop only.
///
/// What is new waits where it is counted, never in a queue for a page that reads slowly.
protocol ConsoleTopicFeed: AnyObject {
  /// Comes four times a second, also while the page takes nothing.
  func tick()
  /// Writes what is new since the last time, if anything is. Not called while the page takes nothing.
  func write(to text: inout EventText)
  /// The stream has ended.
  func end()
}

extension ConsoleTopicFeed {
  func tick() {}
  func end() {}
}

/// Events of a stream, in the form of `text/event-stream`.
struct EventText {
  /// Times a second that topics are asked for what is new.
  static let ticksPerSecond = 4

  private(set) var bytes = ByteBuffer()

  var isEmpty: Bool { bytes.readableBytes == 0 }

  mutating func add(_ name: String, _ body: JSON) {
    bytes.writeString("event: \(name)\ndata: ")
    bytes.writeBytes(body.text())
    bytes.writeString("\n\n")
  }
}
