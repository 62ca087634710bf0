import Glibc
import HearthTree

/// The file `server.json` in a data folder, which describes the server that has the folder open, and its port. Commands
/// on the folder reach it by ``LocalSocket``.
///
/// ```json
/// {"pid":4711,"url":"http://127.0.0.1:9000","projectID":"hearth","defaultNamespace":"default"}
/// ```
///
/// Only the folder's owner can read it. It exists from when the port is open until the server stops; one that a crash
/// left behind names a process that is gone.
public struct ServerFile: Sendable, Equatable {
  /// The file's name in the data folder.
  public static let name = "server.json"

  /// The server's process.
  public var processID: Int32
  /// The URL as seen from this machine: a server on all addresses is reached at the loopback one.
  public var url: String
  /// The project that the server signs tokens for.
  public var projectID: String
  /// The database that requests without a namespace reach.
  public var defaultNamespace: String

  /// Creates the contents for a server whose port is open.
  public init(processID: Int32, url: String, projectID: String, defaultNamespace: String) {
    self.processID = processID
    self.url = url
    self.projectID = projectID
    self.defaultNamespace = defaultNamespace
  }

  /// Returns the contents of a folder's file; nil when there is no such file, or it cannot be read.
  public static func read(dataDirectory: String) -> ServerFile? {
    let descriptor = open(dataDirectory + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: sizeBytesMax)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0, let json = JSON(parsing: bytes.prefix(count)), let processID = json["pid"]?.int,
      let url = json["url"]?.string
    else { return nil }
    return ServerFile(
      processID: Int32(clamping: processID), url: url, projectID: json["projectID"]?.string ?? "",
      defaultNamespace: json["defaultNamespace"]?.string ?? "")
  }

  private static let sizeBytesMax = 4_096

  /// Writes the file into the folder, atomically.
  func write(dataDirectory: String) throws(ServerError) {
    let path = dataDirectory + "/" + Self.name
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
    let text = json.text() + [UInt8(ascii: "\n")]
    let count = Glibc.write(descriptor, text, text.count)
    close(descriptor)
    guard count == text.count, rename(temporary, path) == 0 else {
      unlink(temporary)
      throw Self.failure(path)
    }
  }

  /// Removes the file.
  static func remove(dataDirectory: String) { unlink(dataDirectory + "/" + name) }

  private var json: JSON {
    [
      "pid": .int(Int64(processID)), "url": .string(url), "projectID": .string(projectID),
      "defaultNamespace": .string(defaultNamespace),
    ]
  }

  private static func failure(_ path: String) -> ServerError {
    ServerError(.storage, "cannot write \(path): \(String(cString: strerror(errno)))")
  }
}

extension ServerFile {
  /// Returns the URL for this machine.
  ///
  /// - Parameters:
  ///   - host: the configured address.
  ///   - port: the bound port.
  static func url(host: String, port: Int, isEncrypted: Bool) -> String {
    let reachable =
      switch host {
      case "0.0.0.0", "": "127.0.0.1"
      case "::", "[::]": "::1"
      default: host
      }
    let isBare = reachable.contains(":") && !reachable.hasPrefix("[")
    return "\(isEncrypted ? "https" : "http")://\(isBare ? "[\(reachable)]" : reachable):\(port)"
  }
}
