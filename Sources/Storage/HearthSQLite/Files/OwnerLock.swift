import HearthJournal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lock file beside a journal: the process that holds its lock owns the journal on this machine.
///
/// SQLite's own locks do not suffice, because they are per transaction, so that two servers could alternately write to
/// one log. The operating system releases the lock when the process ends in any way, so nothing must be cleaned up
/// after a crash.
struct OwnerLock: ~Copyable {
  private let file: PosixFile

  /// Takes the lock of the journal at `path`.
  ///
  /// - Throws: `.inUse` when another process, or another handle in this one, holds it.
  init(journalPath path: String) throws(JournalError) {
    let file = try PosixFile(path + ".lock", flags: O_RDWR | O_CREAT)
    guard try file.tryLock() else {
      let owner = Self.owner(of: file)
      throw JournalError(
        .inUse, "the journal is open in \(owner); stop that server first, or use another data folder for this one",
        at: JournalError.Place(file: path))
    }
    try file.truncate(toBytes: 0)
    try file.write(Array("\(getpid())\n".utf8)[...])
    self.file = file
  }

  /// Returns the owner's process id, if the lock file contains it.
  private static func owner(of file: borrowing PosixFile) -> String {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = (try? file.read(into: &buffer, at: 0)) ?? 0
    let digits = buffer.prefix(count).prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return "another process" }
    return "process \(String(decoding: digits, as: UTF8.self))"
  }
}
