import HearthCrypto
import HearthSystem

/// A folder with a plugin that was read and not installed, for the operator to review.
package struct PluginPackage {
  /// The plugin's manifest.
  package let manifest: PluginManifest
  /// The checksum of its files.
  package let digest: Digest
  let files: PluginFiles

  /// Reads the folder.
  ///
  /// - Throws: ``PluginProblem`` when it holds no plugin that this server can run.
  package init(_ folder: String) throws(PluginProblem) { try self.init(folder, .package) }

  init(_ folder: String, _ kind: PluginFiles.Kind) throws(PluginProblem) {
    let bytes: [UInt8]?
    do throws(AtomicFile.Problem) {
      bytes = try AtomicFile(folder: folder, name: PluginManifest.fileName).read(bytesMax: PluginManifest.bytesMax)
    } catch {
      throw PluginProblem("\(folder)/\(PluginManifest.fileName) \(error.what): \(error.cause)")
    }
    guard let bytes else { throw PluginProblem("\(folder) has no \(PluginManifest.fileName)") }
    manifest = try PluginManifest(bytes)
    files = try PluginFiles(folder, kind, isPython: manifest.carrier.files.contains { $0.hasSuffix(".py") })
    digest = files.digest
    for word in manifest.carrier.files {
      guard files.entries.contains(where: { $0.path == word.dropFirst(2) }) else {
        throw PluginProblem(
          "plugin.json names \(LogLines.printable(word.utf8.prefix(200))), which does not exist")
      }
    }
  }

  /// The number of files and their size in words.
  package var sizeText: String {
    let bytes = files.entries.reduce(0) { $0 + $1.sizeBytes }
    return "\(files.entries.count) file\(files.entries.count == 1 ? "" : "s"), \(bytes) bytes"
  }
}
