import Glibc

/// `server.sock` in a data folder: the Unix socket by which the folder's owner reaches the server that has the folder
/// open, whatever its port speaks and wherever that is. It speaks the HTTP of the port, in plain text.
///
/// Only the owner and the system's administrator come in (``admits(_:)``), and they show the administrator's token all
/// the same. It is there for as long as the server runs; one that a crash left behind refuses every connection until the
/// next server replaces it, under the locks of the folder.
///
/// A socket's name has 108 bytes in all (`sun_path`, unix(7)), and a folder's path may be longer: so the folder is
/// opened, and the socket named through `/proc/self/fd`.
public final class LocalSocket: Sendable {
  /// The socket's file in the folder.
  public static let name = "server.sock"
  /// A folder that nobody else may enter: there the socket waits until its mode is set.
  private static let cradle = "server.sock.new"
  /// Connections that wait to be taken. Commands come one at a time.
  private static let backlog: Int32 = 128

  /// What could not be opened or made, and why, in words for the operator.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// A socket that lets connections in.
  package struct Listener: Sendable {
    /// The file behind it.
    package let socket: LocalSocket
    /// The listening socket. Whoever takes the listener over closes it.
    package let descriptor: Int32

    /// Ends a listener that nobody took over.
    package func cancel() {
      socket.remove()
      close(descriptor)
    }
  }

  /// Who made a connection: `struct ucred` of unix(7), which Swift's C library does not show. Three 32-bit numbers.
  struct PeerCredentials {
    var processID: pid_t
    var userID: uid_t
    var groupID: gid_t

    static let option = SO_PEERCRED
  }

  private let folder: Int32
  /// The socket's place, for messages.
  public let place: String

  /// - Throws: ``Failure`` when there is no such folder.
  public init(dataDirectory: String) throws(Failure) {
    place = dataDirectory + "/" + Self.name
    folder = open(dataDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Self.failure("cannot open the folder", dataDirectory) }
  }

  deinit { close(folder) }

  /// What a client in this process connects to, for as long as this object is there.
  public var connectPath: String { Self.path(in: folder, Self.name) }

  /// Makes the socket, takes the place of one that was left there, and lets connections in. For the holder of the
  /// folder's locks.
  ///
  /// - Throws: ``Failure`` where the file system has no sockets.
  package func listen() throws(Failure) -> Listener {
    removeCradle()
    guard mkdirat(folder, Self.cradle, 0o700) == 0 else { throw failure }
    defer { removeCradle() }
    let cradle = openat(folder, Self.cradle, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard cradle >= 0 else { throw failure }
    defer { close(cradle) }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw failure }
    guard Self.bind(descriptor, to: Self.path(in: cradle, Self.name)) == 0,
      fchmodat(cradle, Self.name, 0o600, 0) == 0, Glibc.listen(descriptor, Self.backlog) == 0,
      renameat(cradle, Self.name, folder, Self.name) == 0
    else {
      let failure = failure
      close(descriptor)
      throw failure
    }
    return Listener(socket: self, descriptor: descriptor)
  }

  /// Takes the socket's name away; connections that are there stay. For the holder of the folder's locks.
  package func remove() { unlinkat(folder, Self.name, 0) }

  /// Returns true when somebody with this user number is let in: the server's own user, and root, who could be it
  /// anyway. The socket's mode says the same until somebody changes it.
  static func admits(_ userID: uid_t) -> Bool { userID == geteuid() || userID == 0 }

  private func removeCradle() {
    let cradle = openat(folder, Self.cradle, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard cradle >= 0 else { return }
    unlinkat(cradle, Self.name, 0)
    close(cradle)
    unlinkat(folder, Self.cradle, AT_REMOVEDIR)
  }

  private static func path(in folder: Int32, _ name: String) -> String { "/proc/self/fd/\(folder)/\(name)" }

  private static func bind(_ descriptor: Int32, to path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private var failure: Failure { Self.failure("cannot make the socket", place) }

  private static func failure(_ what: String, _ path: String) -> Failure {
    Failure(description: "\(what) \(path): \(String(cString: strerror(errno)))")
  }
}
