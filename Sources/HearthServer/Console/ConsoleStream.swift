import HearthConsole
import HearthDatabase
import HearthGateway
import HearthTransport
import HearthTree
import NIOCore

/// `api/events` of one page: looks four times a second what is new and sends that. Nothing is put in a queue for a page that
/// reads slowly: what is new waits where it is counted, and what is no longer kept is told as a number.
///
/// Used on its event loop only.
final class ConsoleStream: HTTPStreamDelegate {
  /// What a stream is about.
  struct Subject {
    var session: UInt64
    var database: Database
    var query: EventsQuery
    /// Counts commits; nil when nobody asked for that.
    var watch: PulseWatch?
    /// False once the database was closed or deleted.
    var isServed: () -> Bool
  }

  private let subject: Subject
  private let console: Console
  private let feed: DenialFeed?
  private let loop: any EventLoop
  private let seat: ConsoleStreams
  private var stream: HTTPStream?

  private var cursor: DenialFeed.Cursor?
  /// Commits that were told of.
  private var position: Int64
  /// Where the log was at the last ticks, the oldest first: a second of them says how many writes there are.
  private var positions: [Int64] = []
  private var lastRate: Int64 = 0
  private var ticksSinceText = 0

  private static let tickMilliseconds: Int64 = 250
  /// A page that opens is told so many refusals from before.
  private static let newestDenials = 200
  /// At each tick: what a page can show.
  private static let denialsPerTickMax = 100
  private static let ticksPerSecond = 4
  private static let quietTicks = 15 * ticksPerSecond

  init(
    _ subject: Subject, _ console: Console, denials feed: DenialFeed?, seat: ConsoleStreams, on loop: any EventLoop
  ) {
    (self.subject, self.console, self.feed, self.seat, self.loop) = (subject, console, feed, seat, loop)
    position = subject.database.published.position
    if subject.query.wantsDenials {
      cursor = feed?.cursor(after: subject.query.afterDenial, newest: Self.newestDenials)
    }
  }

  // MARK: The stream

  var quietText: ByteBuffer { ByteBuffer(string: ":\n\n") }

  func opened(_ stream: HTTPStream) {
    self.stream = stream
    tick()
  }

  func closed() {
    stream = nil
    if let watch = subject.watch { subject.database.pulse.end(watch) }
    seat.leave(subject.session)
  }

  private func tick() {
    guard let stream else { return }
    _ = loop.assumeIsolated().scheduleTask(in: .milliseconds(Self.tickMilliseconds)) { [weak self] in self?.tick() }
    guard subject.isServed(),
      console.access.isOpen(subject.session, now: SystemClock.now.monotonicMilliseconds)
    else {
      return stream.end()
    }
    notePosition()
    guard stream.takesMore else { return }
    var text = ByteBuffer()
    writePulse(to: &text)
    writeDenials(to: &text)
    ticksSinceText += 1
    if text.readableBytes == 0, ticksSinceText >= Self.quietTicks { text.writeImmutableBuffer(quietText) }
    guard text.readableBytes > 0 else { return }
    ticksSinceText = 0
    stream.send(text)
    stream.flush()
  }

  private static func write(_ name: String, _ body: JSON, to text: inout ByteBuffer) {
    text.writeString("event: \(name)\ndata: ")
    text.writeBytes(body.text())
    text.writeString("\n\n")
  }

  // MARK: Commits

  private func notePosition() {
    positions.append(subject.database.published.position)
    if positions.count > Self.ticksPerSecond + 1 { positions.removeFirst() }
  }

  private func writePulse(to text: inout ByteBuffer) {
    guard let watch = subject.watch, let newest = positions.last, let oldest = positions.first else { return }
    let counts = watch.take()
    let rate = positions.count > 1 ? (newest - oldest) * Int64(Self.ticksPerSecond) / Int64(positions.count - 1) : 0
    guard newest != position || rate != lastRate || counts.contains(where: { $0 > 0 }) else { return }
    (position, lastRate) = (newest, rate)
    let body = JSON.object([
      .init("position", .int(newest)), .init("counts", .array(counts.map { .int(Int64($0)) })),
      .init("rate", .int(rate)),
    ])
    Self.write("pulse", body, to: &text)
  }

  // MARK: Refusals

  private func writeDenials(to text: inout ByteBuffer) {
    guard let feed, var cursor else { return }
    let (entries, missed) = feed.read(&cursor, limit: Self.denialsPerTickMax)
    self.cursor = cursor
    if missed > 0 { Self.write("gap", .object([.init("missed", .int(Int64(missed)))]), to: &text) }
    for entry in entries where entry.database == subject.database.name {
      Self.write("denial", entry.json, to: &text)
    }
  }
}

extension DenialFeed.Entry {
  /// What the page is told.
  fileprivate var json: JSON {
    func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
    let rule = rule.map { rule in
      JSON.object([
        .init("kind", .string(rule.kind)), .init("path", .string(rule.path)), .init("line", .int(Int64(rule.line))),
        .init("column", .int(Int64(rule.column))),
      ])
    }
    return .object([
      .init("id", .string(String(id))), .init("at", .int(atMilliseconds)), .init("database", .string(database)),
      .init("operation", .string(operation)), .init("cause", text(cause)), .init("path", .string(path)),
      .init("uid", text(uid)), .init("connection", text(connection)), .init("trace", text(trace)),
      .init("count", .int(Int64(count))), .init("rule", rule ?? .null), .init("sentence", .string(sentence)),
    ])
  }
}
