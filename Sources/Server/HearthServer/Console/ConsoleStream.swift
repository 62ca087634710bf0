import HearthConsole
import HearthGateway
import HearthTransport
import NIOCore

/// An `api/events` stream of one page: it polls its topics four times a second and sends the news. It has no queue for
/// a page that reads slowly: news wait in their source, and those that the source has dropped are sent as a number.
///
/// Used on its event loop only.
final class ConsoleStream: HTTPStreamDelegate {
  /// The subject of a stream.
  struct Subject {
    var session: ConsoleSession
    var topics: [any ConsoleTopicFeed]
    /// Returns false once the database was closed or deleted.
    var isServed: () -> Bool
  }

  private let subject: Subject
  private let console: Console
  private let loop: any EventLoop
  private let slots: ConsoleStreams
  private var stream: HTTPStream?
  private var ticksSinceText = 0

  private static let tickMilliseconds = Int64(1_000 / EventText.ticksPerSecond)
  private static let quietTicks = 15 * EventText.ticksPerSecond

  init(_ subject: Subject, _ console: Console, slots: ConsoleStreams, on loop: any EventLoop) {
    (self.subject, self.console, self.slots, self.loop) = (subject, console, slots, loop)
  }

  var quietText: ByteBuffer { ByteBuffer(string: ":\n\n") }

  func opened(_ stream: HTTPStream) {
    self.stream = stream
    tick()
  }

  func closed() {
    stream = nil
    for topic in subject.topics { topic.end() }
    slots.leave(subject.session)
  }

  private func tick() {
    guard let stream else { return }
    _ = loop.assumeIsolated().scheduleTask(in: .milliseconds(Self.tickMilliseconds)) { [weak self] in self?.tick() }
    guard subject.isServed(),
      console.access.isOpen(subject.session.id, now: SystemClock.now.monotonicMilliseconds)
    else {
      return stream.end()
    }
    for topic in subject.topics { topic.tick() }
    guard stream.takesMore else { return }
    var text = EventText()
    for topic in subject.topics { topic.write(to: &text) }
    ticksSinceText += 1
    let isQuiet = text.isEmpty
    guard !isQuiet || ticksSinceText >= Self.quietTicks else { return }
    ticksSinceText = 0
    stream.send(isQuiet ? quietText : text.bytes)
    stream.flush()
  }
}
