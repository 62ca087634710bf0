import HearthSystem

/// The keys and secrets that all nodes of a cluster share, since any of them makes and verifies tokens: they come with
/// a node's identity, and are copied into its data folder before its first start.
struct ClusterKeys {
  private static let fileBytesMax = 1 << 20

  /// The folder that `hearth cluster init` made for the node; `keys` in it is copied.
  let identityFolder: String

  /// Copies the keys that the node's own folder lacks. Existing keys stay: they may have been replaced since.
  ///
  /// - Parameter keysFolder: an existing folder.
  /// - Throws: ``ServerError`` when a file cannot be copied.
  func install(in keysFolder: String) throws(ServerError) {
    let source = identityFolder + "/keys"
    do throws(AtomicFile.Problem) {
      for name in (try? AtomicFile.names(in: source)) ?? [] {
        let own = AtomicFile(folder: keysFolder, name: name)
        guard try own.read(bytesMax: Self.fileBytesMax) == nil,
          let bytes = try AtomicFile(folder: source, name: name).read(bytesMax: Self.fileBytesMax)
        else { continue }
        try own.write(bytes)
      }
    } catch {
      throw ServerError(.storage, "the keys in \(source) could not be copied: a key \(error.what): \(error.cause)")
    }
  }
}
