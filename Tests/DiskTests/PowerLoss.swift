import Foundation
import RandomTestKit

/// The possible states of a disk after a power failure at any point of a run.
///
/// Of a file, all data before its last sync is there. Each later write may be complete, missing, or there in some of
/// its sectors, independently of the others; sectors of 512 bytes are whole. Of the names in a folder, those from
/// before its last sync are there, and after that the first few changes, in order: a rename is one change, and no name
/// is there without its file. Files and folders are independent of each other.
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
  /// The last acknowledged value.
  private(set) var promised: Int64 = 0
  private var random: SeededRandom

  /// Creates the disk.
  ///
  /// - Parameter seed: Determines the state of pages after a failed sync.
  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  private static func folder(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// Applies the next event.
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

  // MARK: Disk images

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

  /// Returns a file's bytes with the parts of its last changes that the disk has written.
  ///
  /// - Parameter takes: Returns true when a sector of a change, counted in order, was written.
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

  /// Returns possible states after a power failure at this point. With few unsynced changes these are all combinations;
  /// otherwise all, none, and random subsets of them. Some states with torn writes are added.
  ///
  /// - Parameter count: The approximate number of states.
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
    // The index of each file's first change among all of them.
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
      // Each sector has a version: the result of the first few changes.
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

  /// Returns a number below 256, the same for the same arguments.
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

/// A temporary folder, in memory where the system supports that.
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

  /// Replaces the folder's content with these files.
  ///
  /// - Parameter other: The base folder of the given paths.
  func replaceContents(_ image: [String: [UInt8]], of other: String) throws {
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
