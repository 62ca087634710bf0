import Glibc

/// The restore of an archive's files into a folder, with access for their owner only.
final class FolderRestore {
  private let folder: String
  private var decoder = FileArchiveDecoder()
  private var file: Int32 = -1
  private var path = ""

  init(_ folder: String) { self.folder = folder }

  deinit { if file >= 0 { close(file) } }

  /// Restores the archive's next piece.
  ///
  /// - Throws: `.damaged`, `.inputOutput`, `.noSpace`.
  func take(_ piece: [UInt8]) throws {
    try decoder.take(piece) { part in
      switch part {
      case .folder(let path, let mode):
        try finishFile()
        let place = "\(folder)/\(path)"
        // The owner needs write permission until the file's content is written.
        guard mkdir(place, mode_t(mode & 0o700 | 0o700)) == 0 || errno == EEXIST else {
          throw SystemFiles.failure("cannot create the folder", place)
        }
      case .file(let path, let mode):
        try finishFile()
        try makeFolders(above: path)
        self.path = "\(folder)/\(path)"
        file = open(
          self.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(mode & 0o700 | 0o600))
        guard file >= 0 else { throw SystemFiles.failure("cannot create the file", self.path) }
      case .bytes(let bytes):
        var rest = bytes
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { throw SystemFiles.failure("cannot write the file", path) }
          rest = rest.dropFirst(count)
        }
      }
    }
  }

  /// Ends the archive.
  ///
  /// - Throws: `.damaged` when it is cut off.
  func finish() throws {
    try finishFile()
    guard decoder.isAtEnd else { throw BackupError(.damaged, "the files of the backup are truncated") }
  }

  /// Creates missing parent folders; those of the files with keys may be in the archive of the other files.
  private func makeFolders(above path: String) throws {
    var made = folder
    for part in path.split(separator: "/").dropLast() {
      made += "/" + part
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
        throw SystemFiles.failure("cannot create the folder", made)
      }
    }
  }

  private func finishFile() throws {
    guard file >= 0 else { return }
    defer {
      close(file)
      file = -1
    }
    guard fsync(file) == 0 else { throw SystemFiles.failure("cannot sync to disk", path) }
  }
}
