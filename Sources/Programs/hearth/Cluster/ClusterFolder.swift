import Glibc
import HearthClusterNode
import HearthCrypto
import HearthProgram
import HearthSystem

/// The files that nodes of a cluster need before they run: a folder for each of them, and one for the authority.
///
/// | file | holds |
/// |---|---|
/// | `ca/certificate.pem`, `ca/key.pem` | the authority of the nodes' certificates |
/// | `ca/keys/` | the content of a `KeyStore`, for all nodes |
/// | `NAME/certificate.pem`, `NAME/key.pem`, `NAME/authority.pem` | the files that `LinkIdentity` reads |
/// | `NAME/keys/` | a copy of `ca/keys/` |
///
/// Each folder is created under a temporary name and renamed when it is complete. Folders are for their owner alone
/// (700), and so are files (600).
struct ClusterFolder {
  /// The name of the authority's folder.
  static let authorityName = "ca"
  private static let keysName = "keys"

  /// The path of the folder.
  let path: String
  /// The current time for certificates.
  let nowMilliseconds: Int64

  var authorityPath: String { path + "/" + Self.authorityName }
  private var nowSeconds: Int64 { nowMilliseconds / 1_000 }

  /// Creates the authority and the keys that all nodes share, unless they exist.
  ///
  /// - Parameter keysOf: The data folder to take keys from; nil creates new ones.
  /// - Returns: False when they exist already.
  func makeAuthority(keysOf: String?) throws -> Bool {
    guard FileVersion(of: authorityPath) == nil else {
      _ = try authority()
      return false
    }
    // Read before anything is created, because it may not be a data folder.
    let keys = try keysOf.map { try DataOption.keys(in: $0) }
    try make(Self.authorityName) { folder in
      let authority = try NodeAuthority(now: nowSeconds)
      try write(authority.credentials, in: folder)
      let keysPath = folder + "/" + Self.keysName
      if let keys { try keys.copy(to: keysPath) } else { try KeyStore(directory: keysPath).makeKeys() }
    }
    return true
  }

  /// Creates a node's folder, unless it exists.
  ///
  /// - Returns: False when it exists and is complete.
  func makeNode(_ name: String) throws -> Bool {
    let node = path + "/" + name
    guard FileVersion(of: node) == nil else {
      do throws(LinkIdentity.Failure) { _ = try LinkIdentity(folder: node) } catch {
        throw AdminFailure(
          "\(node) exists but is not a node's folder: \(error). Move it away, or choose another node name")
      }
      return false
    }
    let authority = try authority()
    let keys = try KeyStore(directory: authorityPath + "/" + Self.keysName, createsMissing: false)
    try make(name) { folder in
      try write(try authority.issue(name, now: nowSeconds), in: folder)
      try write(authority.credentials.certificate, LinkIdentity.authorityName, in: folder)
      try keys.copy(to: folder + "/" + Self.keysName)
    }
    return true
  }

  private func authority() throws -> NodeAuthority {
    func read(_ name: String) throws -> [UInt8] { Array(try TextFile.read(authorityPath + "/" + name).utf8) }
    let (certificate, key) = (try read(LinkIdentity.certificateName), try read(LinkIdentity.keyName))
    do throws(NodeAuthority.Failure) {
      return try NodeAuthority(NodeAuthority.Credentials(certificate: certificate, keyInClear: key))
    } catch {
      throw AdminFailure("\(authorityPath): \(error)")
    }
  }

  // MARK: Files

  /// Fills a new folder, which is renamed when it is complete and durable.
  private func make(_ name: String, _ fill: (String) throws -> Void) throws {
    try TextFile.makeFolder(path)
    let work = try Folder.makeTemporary(in: path, named: "." + name)
    do {
      try fill(work)
      guard AtomicFile.synchronize(folder: work), rename(work, path + "/" + name) == 0,
        AtomicFile.synchronize(folder: path)
      else { throw TextFile.Failure("make", path + "/" + name) }
    } catch {
      Folder.remove(work)
      throw error
    }
  }

  private func write(_ credentials: NodeAuthority.Credentials, in folder: String) throws {
    try write(credentials.certificate, LinkIdentity.certificateName, in: folder)
    try write(credentials.key, LinkIdentity.keyName, in: folder)
  }

  private func write(_ bytes: [UInt8], _ name: String, in folder: String) throws {
    try TextFile.replace(folder + "/" + name, bytes, mode: 0o600)
  }
}
