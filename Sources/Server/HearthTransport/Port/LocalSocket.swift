import Glibc

/// The Unix socket `server.sock` in a data folder, by which the folder's owner reaches the server that has the folder
/// open, whatever its port and protocol. It speaks the HTTP of the port, in plain text.
///
/// Only the owner and the superuser can connect (``admits(_:)``), and they still send the administrator's token. It
/// exists for as long as the server runs; one that a crash left behind refuses every connection until the next server
/// replaces it, under the locks of the folder.
///
/// A socket's name has 108 bytes in all (`sun_path`, unix(7)), and a folder's path may be longer: so the folder is
/// opened, and the socket named through `/proc/self/fd`.
public final class LocalSocket: Sendable {
  /// The socket's file in the folder.
  public static let name = "server.sock"
  /// A folder that no other user may enter: there the socket waits until its mode is set.
  private static let temporaryFolder = "server.sock.new"
  /// The number of connections that may wait to be accepted. Commands come one at a time.
  private static let backlog: Int32 = 128

  /// The reason why a file could not be opened or made, in words for the operator.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// A socket that accepts connections.
  package struct Listener: Sendable {
    /// The socket's file.
    package let socket: LocalSocket
    /// The listening socket. The transport that takes the listener over closes it.
    package let descriptor: Int32

    /// Closes a listener that no transport has taken over.
    package func cancel() {
      socket.remove()
      close(descriptor)
    }
  }

  /// The peer's credentials: `struct ucred` of unix(7), which Swift's C library does not declare. Three 32-bit numbers.
  struct PeerCredentials {
    var processID: pid_t
    var userID: uid_t
    var groupID: gid_t

    static let option = SO_PEERCRED
  }

  private let folder: Int32
  /// The socket's path, for messages.
  public let path: String

  /// Creates a socket in that folder.
  ///
  /// - Throws: ``Failure`` when there is no such folder.
  public init(dataDirectory: String) throws(Failure) {
    path = dataDirectory + "/" + Self.name
    folder = open(dataDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Self.failure("cannot open the folder", dataDirectory) }
  }

  deinit { close(folder) }

  /// The path that a client in this process connects to, for as long as this object exists.
  public var connectPath: String { Self.path(in: folder, Self.name) }

  /// Makes the socket, replaces one that was left behind, and accepts connections. To be called only while the folder's locks are
  /// held.
  ///
  /// - Throws: ``Failure`` when the file system has no sockets.
  package func listen() throws(Failure) -> Listener {
    removeTemporaryFolder()
    guard mkdirat(folder, Self.temporaryFolder, 0o700) == 0 else { throw failure }
    defer { removeTemporaryFolder() }
    let temporaryFolder = openat(folder, Self.temporaryFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard temporaryFolder >= 0 else { throw failure }
    defer { close(temporaryFolder) }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw failure }
    guard Self.bind(descriptor, to: Self.path(in: temporaryFolder, Self.name)) == 0,
      fchmodat(temporaryFolder, Self.name, 0o600, 0) == 0, Glibc.listen(descriptor, Self.backlog) == 0,
      renameat(temporaryFolder, Self.name, folder, Self.name) == 0
    else {
      let failure = failure
      close(descriptor)
      throw failure
    }
    return Listener(socket: self, descriptor: descriptor)
  }

  /// Removes the socket's file; existing connections stay open. To be called only while the folder's locks are held.
  package func remove() { unlinkat(folder, Self.name, 0) }

  /// Returns true when this user may connect: the server's own user, and root, who could become it anyway. The socket's
  /// mode says the same unless it is changed.
  static func admits(_ userID: uid_t) -> Bool { userID == geteuid() || userID == 0 }

  private func removeTemporaryFolder() {
    let temporaryFolder = openat(folder, Self.temporaryFolder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard temporaryFolder >= 0 else { return }
    unlinkat(temporaryFolder, Self.name, 0)
    close(temporaryFolder)
    unlinkat(folder, Self.temporaryFolder, AT_REMOVEDIR)
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

  private var failure: Failure { Self.failure("cannot make the socket", path) }

  private static func failure(_ what: String, _ path: String) -> Failure {
    Failure(description: "\(what) \(path): \(String(cString: strerror(errno)))")
  }
}
