import HearthCluster
import Logging
import NIOPosix
import Synchronization

@testable import HearthClusterNode

/// A node's connections in a test, with a record of their events.
final class LinkedNode: Sendable {
  /// An event of the connections, without its completion handler.
  enum RecordedEvent: Equatable {
    case up(Incarnation)
    case down(Incarnation)
    case received(DatabaseID, PeerMessage, Incarnation)
  }

  /// The run of the node that its connections announce to peers.
  let run: Incarnation
  let links: NodeLinks
  let port: Int
  private let recordedEvents: Log<RecordedEvent>
  private let recordedMessages: Log<String>

  init(
    _ name: String, number: Int64 = 1, cluster: UInt64 = 7, _ identity: LinkIdentity, port: Int = 0,
    answering answer: QuestionHandler? = nil
  ) async throws {
    run = Incarnation(node: NodeID(name), number: number)
    let (seen, said) = (Log<RecordedEvent>(), Log<String>())
    (recordedEvents, recordedMessages) = (seen, said)
    links = NodeLinks(
      run.node, cluster: cluster, identity, on: MultiThreadedEventLoopGroup.singleton.next(),
      logger: Logger(label: name) { _ in RecordingLogHandler(messages: said) }, answering: answer
    ) { event in
      switch event {
      case .up(let run): seen.add(.up(run))
      case .down(let run): seen.add(.down(run))
      case .received(let database, let message, let run, let done):
        seen.add(.received(database, message, run))
        done()
      }
    }
    self.port = try await links.listen(host: "127.0.0.1", port: port)
  }

  /// The events so far.
  var seen: [RecordedEvent] { recordedEvents.all }
  /// The log messages so far, with their metadata.
  var said: [String] { recordedMessages.all }

  /// Sets the addresses of the given nodes, and begins the node's run.
  func begin(knowing nodes: [LinkedNode]) {
    var addresses: [NodeID: (host: String, port: Int)] = [:]
    for node in nodes { addresses[node.run.node] = ("127.0.0.1", node.port) }
    links.setPeers(addresses)
    links.begin(run)
  }

  final class Log<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    func add(_ element: Element) { elements.withLock { $0.append(element) } }
    var all: [Element] { elements.withLock { $0 } }
  }

  private struct RecordingLogHandler: LogHandler {
    let messages: Log<String>
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace

    init(messages: Log<String>) { self.messages = messages }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      messages.add("\(event.message) \(event.metadata.map { "\($0)" } ?? "")")
    }
  }
}
