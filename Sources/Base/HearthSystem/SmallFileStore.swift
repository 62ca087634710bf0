/// A store of small files, each read and replaced atomically, which processes may share: a folder on the disk, or the
/// shared store of a cluster.
///
/// Paths are relative, with `/` between names. The methods block, and must not be called on event loops.
package protocol SmallFileStore: Sendable {
  /// Reads a file's bytes; nil when there is no such file.
  func read(_ path: String, bytesMax: Int) throws(AtomicFile.Problem) -> [UInt8]?

  /// Replaces a file, durably.
  ///
  /// - Parameter expected: The bytes that were read before; nil when there was no file. When another process has
  ///   changed the file since, nothing is written.
  /// - Returns: True when the file was written.
  func write(_ text: [UInt8], to path: String, over expected: [UInt8]?) throws(AtomicFile.Problem) -> Bool

  /// Removes a file.
  ///
  /// - Returns: False when it still exists.
  func remove(_ path: String) -> Bool

  /// Returns the names of the entries of a folder, in no order; empty when there is no such folder.
  func names(in folder: String) throws(AtomicFile.Problem) -> [String]

  /// Returns the path or address at which operators find a file.
  func place(_ path: String) -> String
}

/// The small files of a folder on the disk, which no other process writes.
package struct LocalFileStore: SmallFileStore {
  /// The folder's path. The folder is created with the first file.
  package let folder: String

  /// Creates the store of a folder.
  package init(folder: String) { self.folder = folder }

  package func read(_ path: String, bytesMax: Int) throws(AtomicFile.Problem) -> [UInt8]? {
    try AtomicFile(path: place(path)).read(bytesMax: bytesMax)
  }

  /// Overwrites the file without comparing: no other process writes it.
  package func write(_ text: [UInt8], to path: String, over expected: [UInt8]?) throws(AtomicFile.Problem) -> Bool {
    try AtomicFile(path: place(path)).write(text)
    return true
  }

  package func remove(_ path: String) -> Bool { AtomicFile(path: place(path)).remove() }

  package func names(in folder: String) throws(AtomicFile.Problem) -> [String] {
    try AtomicFile.names(in: folder.isEmpty ? self.folder : place(folder))
  }

  /// Returns the path of the file on the disk.
  package func place(_ path: String) -> String { "\(folder)/\(path)" }
}

/// The files of a subfolder of another store.
package struct SubfolderFileStore: SmallFileStore {
  private let files: any SmallFileStore
  private let folder: String

  /// - Parameter folder: The path of the subfolder in the other store.
  package init(_ folder: String, of files: any SmallFileStore) { (self.folder, self.files) = (folder, files) }

  package func read(_ path: String, bytesMax: Int) throws(AtomicFile.Problem) -> [UInt8]? {
    try files.read(within(path), bytesMax: bytesMax)
  }

  /// Writes a file by the other store.
  package func write(_ text: [UInt8], to path: String, over expected: [UInt8]?) throws(AtomicFile.Problem) -> Bool {
    try files.write(text, to: within(path), over: expected)
  }

  package func remove(_ path: String) -> Bool { files.remove(within(path)) }

  package func names(in folder: String) throws(AtomicFile.Problem) -> [String] { try files.names(in: within(folder)) }

  /// Returns the path or address of the file in the other store.
  package func place(_ path: String) -> String { files.place(within(path)) }

  private func within(_ path: String) -> String { path.isEmpty ? folder : "\(folder)/\(path)" }
}
