import Foundation
import RandomTestKit

/// What a disk may hold after the power went, at any point of what was done to it.
///
/// Of a file, everything before its last sync is there. Of the writes after that, each may be there, or not, or some of its
/// sectors, whatever became of the others; sectors of 512 bytes are whole. Of the names in a folder, those are there that
/// were made before its last sync, and after that the first few changes, in order: a rename is one change, and no name is
/// there without its file. Files and folders are independent of each other.
struct PowerLoss {
  private enum Change {
    case write(Int, [UInt8])
    case truncate(Int)
  }

  private struct File {
    var durable: [UInt8] = []
    var pending: [Change] = []
  }

  private enum NameChange {
    case put(String, Int)
    case remove(String)
    case move(String, String)
  }

  private struct Folder {
    var durable: [String: Int] = [:]
    var pending: [NameChange] = []
  }

  static let sectorBytes = 512

  private var files: [Int: File] = [:]
  private var names: [String: Int] = [:]
  private var folders: [String: Folder] = [:]
  private var nextFile = 0
  /// The last thing that was promised.
  private(set) var promised: Int64 = 0
  private var random: SeededRandom

  /// - Parameter seed: of what becomes of pages after a sync that failed.
  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  private static func folder(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// Follows one more thing that was done.
  mutating func follow(_ event: DiskEvent) {
    switch event {
    case .create(let path):
      nextFile += 1
      (names[path], files[nextFile]) = (nextFile, File())
      folders[Self.folder(of: path), default: Folder()].pending.append(.put(path, nextFile))
    case .write(let path, let offset, let bytes):
      if let file = names[path] { files[file]?.pending.append(.write(offset, bytes)) }
    case .truncate(let path, let size):
      if let file = names[path] { files[file]?.pending.append(.truncate(size)) }
    case .sync(let path):
      if let file = names[path] {
        files[file] = File(durable: bytes(of: file) { _, _ in true }, pending: [])
      } else if let folder = folders[path] {
        folders[path] = Folder(durable: Self.names(in: folder, first: folder.pending.count), pending: [])
      }
    case .lostSync(let path):
      guard let file = names[path] else { return }
      var random = random
      let salt = random.next()
      files[file] = File(
        durable: bytes(of: file) { change, sector in Self.chance(salt, 0, UInt64(change), UInt64(sector)) < 128 },
        pending: [])
      self.random = random
    case .unlink(let path):
      names[path] = nil
      folders[Self.folder(of: path), default: Folder()].pending.append(.remove(path))
    case .rename(let path, let other):
      names[other] = names.removeValue(forKey: path)
      folders[Self.folder(of: path), default: Folder()].pending.append(.move(path, other))
    case .link(let path, let other):
      guard let file = names[path] else { return }
      names[other] = file
      folders[Self.folder(of: path), default: Folder()].pending.append(.put(other, file))
    case .promise(let value): promised = value
    }
  }

  // MARK: What is there

  private static func names(in folder: Folder, first count: Int) -> [String: Int] {
    var names = folder.durable
    for change in folder.pending.prefix(count) {
      switch change {
      case .put(let path, let file): names[path] = file
      case .remove(let path): names[path] = nil
      case .move(let path, let other): names[other] = names.removeValue(forKey: path) ?? names[other]
      }
    }
    return names
  }

  /// A file's bytes with those parts of its last changes that the disk has taken.
  ///
  /// - Parameter takes: of which change, in order, and of which sector.
  private func bytes(of file: Int, takes: (_ change: Int, _ sector: Int) -> Bool) -> [UInt8] {
    guard let file = files[file] else { return [] }
    var bytes = file.durable
    for (number, change) in file.pending.enumerated() {
      switch change {
      case .truncate(let size):
        guard takes(number, 0) else { continue }
        if size < bytes.count { bytes.removeSubrange(size...) }
        bytes.append(contentsOf: repeatElement(0, count: max(0, size - bytes.count)))
      case .write(let offset, let new):
        var start = 0
        while start < new.count {
          let end = min(new.count, start + Self.sectorBytes - (offset + start) % Self.sectorBytes)
          if takes(number, (offset + start) / Self.sectorBytes) {
            let missing = offset + end - bytes.count
            if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
            bytes.replaceSubrange(offset + start..<offset + end, with: new[start..<end])
          }
          start = end
        }
      }
    }
    return bytes
  }

  /// What is there if the power goes now. Where few things are not synced, each of them there or not, in every way; else all
  /// of them, none of them, and some by chance. Beside that, some torn ones.
  ///
  /// - Parameter count: how many are wanted, roughly.
  func images(_ count: Int, _ random: inout SeededRandom) -> [[String: [UInt8]]] {
    let open = files.filter { !$0.value.pending.isEmpty }.keys.sorted()
    let changeCount = open.reduce(0) { $0 + (files[$1]?.pending.count ?? 0) }
    let nameWays = folders.values.reduce(1) { $0 * ($1.pending.count + 1) }
    guard changeCount > 0 || nameWays > 1 else {
      return [
        image { _, _, _ in
          true
        } names: {
          $0
        }
      ]
    }
    // Where a file's changes begin among all of them.
    var starts: [Int: Int] = [:]
    var start = 0
    for file in open {
      starts[file] = start
      start += files[file]?.pending.count ?? 0
    }
    var images: [[String: [UInt8]]] = []
    if changeCount <= 12, nameWays << changeCount <= count {
      for way in 0..<nameWays << changeCount {
        var names = way >> changeCount
        images.append(
          image { file, change, _ in
            way >> ((starts[file] ?? 0) + change) & 1 == 1
          } names: { pending in
            defer { names /= pending + 1 }
            return names % (pending + 1)
          })
      }
    } else {
      images = [
        image { _, _, _ in
          true
        } names: {
          $0
        },
        image { _, _, _ in
          false
        } names: { _ in
          0
        },
      ]
      while images.count < count / 2 {
        let salt = random.next()
        images.append(
          image { file, change, _ in
            Self.chance(salt, UInt64(file), UInt64(change), 0) < 128
          } names: {
            random.below($0 + 1)
          })
      }
    }
    for _ in 0..<count / 2 where changeCount > 0 {
      // Of each sector a version: what the first few changes made of it.
      let salt = random.next()
      images.append(
        image { file, change, sector in
          let pending = files[file]?.pending.count ?? 0
          return change < Self.chance(salt, UInt64(file), 0, UInt64(sector)) * (pending + 1) / 256
        } names: {
          random.below($0 + 1)
        })
    }
    return images
  }

  /// A number below 256: one answer for each question.
  private static func chance(_ salt: UInt64, _ file: UInt64, _ change: UInt64, _ sector: UInt64) -> Int {
    var seed = salt
    for part in [file, change, sector] {
      var random = SeededRandom(seed: seed ^ part)
      seed = random.next()
    }
    return Int(seed >> 56)
  }

  private func image(
    _ takes: (_ file: Int, _ change: Int, _ sector: Int) -> Bool, names count: (_ pending: Int) -> Int
  ) -> [String: [UInt8]] {
    var image: [String: [UInt8]] = [:]
    for (_, folder) in folders.sorted(by: { $0.key < $1.key }) {
      for (path, file) in Self.names(in: folder, first: count(folder.pending.count)) {
        image[path] = bytes(of: file) { takes(file, $0, $1) }
      }
    }
    return image
  }
}

/// A folder of a test, in memory where the system has such.
final class DiskFolder {
  let path: String

  init() throws {
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    var template = Array("\(parent)/hearth-disk-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template), let real = realpath(made, nil) else {
      throw CocoaError(.fileWriteUnknown)
    }
    defer { free(real) }
    path = String(cString: real)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Has the folder hold these files and no others.
  ///
  /// - Parameter other: the folder that the paths are of.
  func hold(_ image: [String: [UInt8]], of other: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.removeItem(atPath: path + "/" + name)
    }
    for (name, bytes) in image {
      let path = path + name.dropFirst(other.count)
      try FileManager.default.createDirectory(
        atPath: String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]), withIntermediateDirectories: true)
      guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
        throw CocoaError(.fileWriteUnknown)
      }
    }
  }
}
