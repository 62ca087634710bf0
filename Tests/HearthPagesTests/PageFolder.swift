import Foundation
import HearthSystem
import HearthTree
import RandomTestKit
import Synchronization

@testable import HearthPages

/// A temporary folder with page files in small segments.
final class PageFolder {
  static let layout = PageFileLayout(segmentSizeBytes: 256 << 10, pieceSizeBytes: 64 << 10)

  let path: String

  init() {
    path = NSTemporaryDirectory() + "hearth-pages-\(UUID().uuidString).pages"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The names of the files, in order.
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? [] }

  func path(of number: Int) -> String { path + "/" + PageFileLayout.name(of: number) }

  func bytes(of number: Int) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path(of: number)))) }

  func write(_ bytes: [UInt8], to number: Int) throws { try Data(bytes).write(to: URL(filePath: path(of: number))) }

  /// Changes the bytes of a file.
  func change(_ number: Int, _ body: (inout [UInt8]) -> Void) throws {
    var bytes = try bytes(of: number)
    body(&bytes)
    try write(bytes, to: number)
  }

  func open(
    _ extent: PageFileExtent = .empty, retained: [PageFileExtent.Segment]? = [], layout: PageFileLayout = layout,
    openFilesMax: Int = 4, seed: UInt64 = 1, mount: Mount? = nil
  ) throws -> OpenPages {
    try OpenPages(
      PageFiles(
        folder: path, extent: extent, retained: retained, layout: layout, openFilesMax: openFilesMax, mount: mount),
      seed: seed &+ UInt64(extent.endAddress))
  }
}

/// Open page files with their writer.
struct OpenPages {
  let files: PageFiles
  let store: PageStore
  var writer: StoredNodeWriter<PageFileWriter>

  init(_ files: PageFiles, seed: UInt64) throws {
    guard let store = PageStore.register(files) else { throw PageError("no number is left for the store") }
    (self.files, self.store) = (files, store)
    let nonces = Nonces(seed: seed)
    writer = StoredNodeWriter(PageFileWriter(files, store: store, makeNonce: { nonces.next() }))
  }

  /// Stores a node, and returns its checkpoint.
  mutating func save(_ node: Node) throws -> PageCheckpoint {
    let stored = try writer.write(node)
    try writer.commit()
    return PageCheckpoint(root: stored, sessions: .empty, settings: .empty, extent: files.extent)
  }

  /// Returns the node of a checkpoint, with nothing in memory.
  func node(_ checkpoint: PageCheckpoint) throws -> Node { try StoredNode(checkpoint.root, in: store).open() }
}

/// Numbers for segments, the same for the same seed.
private final class Nonces: Sendable {
  private let random: Mutex<SeededRandom>

  init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  func next() -> UInt64 { random.withLock { $0.next() } }
}

/// Data of rooms with messages, some with long texts.
struct RoomModel {
  static let roomCount = 12
  /// The values by room and message.
  private(set) var values: [String: [String: Int]] = [:]

  /// Makes random changes, and returns them for a node.
  mutating func change(_ count: Int, _ random: inout SeededRandom) -> [(path: Path, node: Node)] {
    (0..<count).map { _ in
      let (room, message) = ("r\(random.below(Self.roomCount))", "m\(1_000 + random.below(400))")
      let value = random.chance(15) ? nil : random.below(1 << 20)
      values[room, default: [:]][message] = value
      return (Path("\(room)/\(message)"), value.map(Self.node) ?? .empty)
    }
  }

  /// The node as it is without page files.
  var node: Node {
    var node = Node.empty
    for (room, messages) in values {
      node = node.replacing(messages.map { (Path("\(room)/\($0.key)"), Self.node($0.value)) })
    }
    return node
  }

  private static func node(_ value: Int) -> Node {
    let text = String(repeating: "text \(value) ", count: value % 40 == 0 ? 500 : value % 7 + 1)
    return Node.empty.replacing("n", with: Node(.int(Int64(value))))
      .replacing("text", with: Node(.string(text), priority: value % 5 == 0 ? .double(0.5) : nil))
  }
}

extension Node {
  /// The data as JSON with priorities, read without keeping pages, and the number of failed reads.
  var streamed: (text: [UInt8], failedCount: Int) {
    let (text, faults) = FaultScope.run(.stream) { json(.export) }
    return (text, faults.failed)
  }

  /// Returns true when the data, read without keeping pages, is this JSON, and no read failed.
  func streams(_ text: [UInt8]) -> Bool {
    let found = streamed
    return found.failedCount == 0 && found.text == text
  }
}
