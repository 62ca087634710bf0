import HearthConsole
import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthTransport
import HearthTree
import NIOCore

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
    let stream = DownloadStream(
      database.published.root[pendingDownload.path], for: pendingDownload, console, on: loop.eventLoop)
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

/// A tree that is streamed to a browser: the next piece is made once the last one is written. Used on its event loop
/// only.
final class DownloadStream: HTTPStreamDelegate {
  private static let pieceBytes = 64 << 10

  private var text: ExportText
  private let pendingDownload: ConsoleDownloads.PendingDownload
  private let console: Console
  private let loop: any EventLoop
  private var stream: HTTPStream?

  init(_ node: Node, for pendingDownload: ConsoleDownloads.PendingDownload, _ console: Console, on loop: any EventLoop)
  {
    (text, self.pendingDownload, self.console, self.loop) = (ExportText(node), pendingDownload, console, loop)
  }

  /// A space, which has no meaning between two tokens of JSON.
  var quietText: ByteBuffer { ByteBuffer(string: " ") }

  func opened(_ stream: HTTPStream) {
    self.stream = stream
    sendNextPiece()
  }

  func closed() {
    stream = nil
    text = ExportText(.empty)
    console.downloads.leave(pendingDownload.person)
  }

  private func sendNextPiece() {
    guard let stream else { return }
    // A partial file must not look complete.
    guard console.access.isOpen(pendingDownload.session, now: SystemClock.now.monotonicMilliseconds) else {
      return stream.abort()
    }
    guard let piece = text.next(bytesMin: Self.pieceBytes) else { return stream.end() }
    stream.send(ByteBuffer(bytes: piece))
    stream.whenWritten { [weak self, loop] in
      loop.assumeIsolated().execute { self?.sendNextPiece() }
    }
    stream.flush()
  }
}
