import HearthSystem

/// Keys and secrets that all nodes of a cluster have, since any of them makes and takes tokens: they come with a node's
/// identity, and are put into its data folder before its first start.
struct ClusterKeys {
  private static let fileBytesMax = 1 << 20

  /// The folder that `hearth cluster init` made for the node; `keys` in it is copied.
  let identityFolder: String

  /// Copies what the node's own folder lacks. What is there stays: keys that were replaced since are in it.
  ///
  /// - Parameter keysFolder: is there.
  /// - Throws: ``ServerError`` when a file cannot be copied.
  func install(in keysFolder: String) throws(ServerError) {
    let source = identityFolder + "/keys"
    do throws(WholeFile.Problem) {
      for name in (try? WholeFile.names(in: source)) ?? [] {
        let own = WholeFile(folder: keysFolder, name: name)
        guard try own.read(bytesMax: Self.fileBytesMax) == nil,
          let bytes = try WholeFile(folder: source, name: name).read(bytesMax: Self.fileBytesMax)
        else { continue }
        try own.write(bytes)
      }
    } catch {
      throw ServerError(.storage, "the keys in \(source) could not be copied: one \(error.what): \(error.cause)")
    }
  }
}
