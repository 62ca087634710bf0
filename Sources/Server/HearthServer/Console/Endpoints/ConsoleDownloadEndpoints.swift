import HearthConsole
import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthTransport
import HearthTree
import NIOCore
import Synchronization

/// The console's endpoints for downloading a part of a database as a file, which is streamed to the browser.
struct ConsoleDownloadEndpoints: ConsoleEndpoints {
  let context: ConsoleContext
  /// Responds to `POST api/download` with `{"database": NAME, "path": PATH}`: returns the URL of the file, valid once,
  /// within a minute.
  func makeDownload() async throws(ConsoleFailure) -> HTTPResponse {
    let session = try session()
    guard let cookie = call.cookie else { throw .noSession }
    let database = try context.known(call.body?["database"]?.string)
    guard let text = call.body?["path"]?.string, let location = try? Location(wire: text), !location.isPriority else {
      throw ConsoleFailure(.badRequest, "path must be a path in the database.")
    }
    let key: String
    do throws(RandomnessError) {
      key = try console.downloads.makeKey(
        session: session, cookie: cookie, database: database, path: location.path,
        now: call.now.monotonicMilliseconds)
    } catch {
      throw .unavailable
    }
    await console.record(
      "session \(session.id) (\(session.name)): downloads \(location.path) of \(database)", uid: session.uid,
      by: call.client)
    return ConsoleResponder.json(
      [
        "path": "\(ConsoleResponder.prefix)/api/\(ConsoleDownloads.prefix)\(key)",
        "expiresInSeconds": .int(ConsoleDownloads.keySeconds),
      ])
  }

  /// Responds to `GET api/download/KEY` with the file.
  func download(_ name: String) -> EventLoopFuture<HTTPResponse> {
    let promise = loop.eventLoop.makePromise(of: HTTPResponse.self)
    let key = name.dropFirst(ConsoleDownloads.prefix.count)
    let now = call.now.monotonicMilliseconds
    guard let cookie = call.cookie, let pendingDownload = console.downloads.redeem(key, cookie: cookie, now: now),
      console.access.isOpen(pendingDownload.session, now: now)
    else {
      promise.succeed(
        ConsoleResponder.answer(
          ConsoleFailure(.notFound, "This download has been fetched, or has expired. Request it again.")))
      return promise.futureResult
    }
    context.opened(pendingDownload.database).assumeIsolated().whenComplete { [self] result in
      do {
        promise.succeed(begin(pendingDownload, try result.get()))
      } catch {
        promise.succeed(ConsoleResponder.answer(error as? ConsoleFailure ?? .unavailable))
      }
    }
    return promise.futureResult
  }

  private func begin(_ pendingDownload: ConsoleDownloads.PendingDownload, _ database: Database) -> HTTPResponse {
    guard console.downloads.enter(pendingDownload.person) else {
      return ConsoleResponder.answer(
        ConsoleFailure(.tooManyRequests, "Too many downloads are in progress. Try again later."))
    }
    let source = ExportSource(of: pendingDownload.path, in: database.published)
    let stream = DownloadStream(source, for: pendingDownload, console, services.pool, on: loop.eventLoop)
    var response = ConsoleResponder.answer(
      .ok,
      headers: [
        (name: "Content-Type", value: "application/json; charset=utf-8"),
        (name: "Content-Disposition", value: "attachment; filename=\"\(Self.fileName(pendingDownload))\""),
      ])
    response.stream = NIOLoopBound(stream, eventLoop: loop.eventLoop)
    return response
  }

  /// Returns a file name of the database's name and the last key, without characters that a file system or a header
  /// would not accept.
  static func fileName(_ pendingDownload: ConsoleDownloads.PendingDownload) -> String {
    let key = pendingDownload.path.keys.last.map { key in
      "-"
        + String(
          key.description.unicodeScalars.prefix(64).map { scalar -> Character in
            scalar.isASCII
              && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "-_".unicodeScalars.contains(scalar))
              ? Character(scalar) : "_"
          })
    }
    return "\(pendingDownload.database)\(key ?? "").json"
  }
}

/// The text of a part of a tree, whose pieces are made on different threads, one after the other.
final class ExportSource: Sendable {
  private enum Content {
    case root(Node, Path)
    case text(ExportText)
  }

  private let content: Mutex<Content>
  /// The version, whose pages stay in the files as long as it is held.
  private let state: DatabaseState

  init(of path: Path, in state: DatabaseState) {
    content = Mutex(.root(state.root, path))
    self.state = state
  }

  /// Returns the next piece: see ``ExportText/next(bytesMin:)``.
  func next(bytesMin: Int) -> [UInt8]? {
    content.withLock { content in
      var text =
        switch content {
        case .root(let root, let path): ExportText(root[path])
        case .text(let text): text
        }
      content = .root(.empty, .root)
      defer { content = .text(text) }
      return text.next(bytesMin: bytesMin)
    }
  }
}

/// A tree that is streamed to a browser: the next piece is made, away from the event loop, once the last one is written.
/// Used on its event loop only.
final class DownloadStream: HTTPStreamDelegate {
  private static let pieceBytes = 64 << 10

  private let source: ExportSource
  private let pendingDownload: ConsoleDownloads.PendingDownload
  private let console: Console
  private let pool: LargeValuePool
  private let loop: any EventLoop
  private var stream: HTTPStream?

  init(
    _ source: ExportSource, for pendingDownload: ConsoleDownloads.PendingDownload, _ console: Console,
    _ pool: LargeValuePool, on loop: any EventLoop
  ) {
    (self.source, self.pendingDownload, self.console) = (source, pendingDownload, console)
    (self.pool, self.loop) = (pool, loop)
  }

  /// A space, which has no meaning between two tokens of JSON.
  var quietText: ByteBuffer { ByteBuffer(string: " ") }

  func opened(_ stream: HTTPStream) {
    self.stream = stream
    sendNextPiece()
  }

  func closed() {
    stream = nil
    console.downloads.leave(pendingDownload.person)
  }

  private func sendNextPiece() {
    pool.run(on: loop, lane: .long) { [source] in
      source.next(bytesMin: Self.pieceBytes)
    } completion: { piece in
      self.send(piece)
    }
  }

  /// Sends a piece.
  ///
  /// - Parameter piece: nil when data cannot be read.
  private func send(_ piece: [UInt8]??) {
    guard let stream else { return }
    // A partial file must not look complete.
    let isOpen = console.access.isOpen(pendingDownload.session, now: SystemClock.now.monotonicMilliseconds)
    guard isOpen, let piece else { return stream.abort() }
    guard let piece else { return stream.end() }
    stream.send(ByteBuffer(bytes: piece))
    stream.whenWritten { [weak self, loop] in
      loop.assumeIsolated().execute { self?.sendNextPiece() }
    }
    stream.flush()
  }
}
