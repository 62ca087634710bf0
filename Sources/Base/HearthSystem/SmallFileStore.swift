/// A folder of small files, each read and replaced as a whole, which other processes may share: on the disk, or where
/// the nodes of a cluster keep their shared files.
///
/// Paths are relative, with `/` between names. Blocks: not for event loops.
package protocol SmallFileStore: Sendable {
  /// A file's bytes; nil when there is none.
  func read(_ path: String, bytesMax: Int) throws(AtomicFile.Problem) -> [UInt8]?

  /// Puts a file in its place, durably.
  ///
  /// - Parameter expected: the bytes that were read there before, nil if there was no file. When another process has
  ///   changed the file since, nothing is written.
  /// - Returns: whether it was written.
  func write(_ text: [UInt8], to path: String, over expected: [UInt8]?) throws(AtomicFile.Problem) -> Bool

  /// Takes a file away.
  ///
  /// - Returns: false when it is still there.
  func remove(_ path: String) -> Bool

  /// The names of the entries of a folder, in no order; empty when there is no such folder.
  func names(in folder: String) throws(AtomicFile.Problem) -> [String]

  /// The path or address of a file, as operators would find it.
  func place(_ path: String) -> String
}

/// Small files of a folder on the disk, which no other process writes.
package struct LocalFileStore: SmallFileStore {
  /// The folder's path. The folder is made with the first file.
  package let folder: String

  /// The files of a folder.
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

  /// Returns the place where the file is on the disk.
  package func place(_ path: String) -> String { "\(folder)/\(path)" }
}

/// The files of a folder within another.
package struct SubfolderFileStore: SmallFileStore {
  private let files: any SmallFileStore
  private let folder: String

  /// - Parameter folder: relative to the others' folder.
  package init(_ folder: String, of files: any SmallFileStore) { (self.folder, self.files) = (folder, files) }

  package func read(_ path: String, bytesMax: Int) throws(AtomicFile.Problem) -> [UInt8]? {
    try files.read(within(path), bytesMax: bytesMax)
  }

  /// Writes as the other files do.
  package func write(_ text: [UInt8], to path: String, over expected: [UInt8]?) throws(AtomicFile.Problem) -> Bool {
    try files.write(text, to: within(path), over: expected)
  }

  package func remove(_ path: String) -> Bool { files.remove(within(path)) }

  package func names(in folder: String) throws(AtomicFile.Problem) -> [String] { try files.names(in: within(folder)) }

  /// Returns the place within the others' folder.
  package func place(_ path: String) -> String { files.place(within(path)) }

  private func within(_ path: String) -> String { path.isEmpty ? folder : "\(folder)/\(path)" }
}
