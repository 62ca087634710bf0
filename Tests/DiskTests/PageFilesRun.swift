import Foundation
import HearthSystem
import HearthTree
import Synchronization

@testable import HearthPages

/// Checkpoints of a tree whose pages are in files, with the newest checkpoint in a file that is replaced atomically, as
/// a journal's row is.
struct PageFilesRun: DiskRun {
  private enum Operation: String {
    case open, read, write, sync, row
  }

  private static let layout = PageFileLayout(segmentSizeBytes: 128 << 10, pieceSizeBytes: 64 << 10)
  private static let versionCount: Int64 = 8

  private(set) var outcomes: [(operation: String, outcome: DiskOutcome)] = []
  private(set) var problems: [String] = []
  private let folder: String
  private let disk: WatchedDisk
  /// The files that are open, and the data at `version`.
  private var pages: Pages?
  private var node = Node.empty
  private var version: Int64 = 0

  init(folder: String, disk: WatchedDisk) { (self.folder, self.disk) = (folder, disk) }

  mutating func run() {
    open()
    // A fault happens once, and what failed is repeated.
    for _ in 0..<Int(Self.versionCount) + 3 where version < Self.versionCount {
      store(version + 1)
      // A clean restart, and one that loses what was written ahead of a checkpoint.
      if version == 3 { open() }
      if version == 5, let pages = pages {
        var writer = pages.writer
        _ = try? writer.write(Self.change(node, 99))
        _ = try? writer.commit()
        open()
      }
    }
    if version < Self.versionCount { problems.append("version \(version + 1) fails again and again") }
  }

  mutating func end() {
    pages?.files.close()
    pages = nil
  }

  /// Returns the data of the next version.
  private static func change(_ node: Node, _ version: Int64) -> Node {
    let count = version == 1 || version == 6 ? 240 : 12
    var changes: [(path: Path, node: Node)] = (0..<count).map { i in
      let number = i * 37 + Int(version) * 11
      let text = String(repeating: "version \(version) ", count: number % 7 + 1)
      return (Path("r\(number % 6)/m\(number % 500)"), number % 9 == 0 ? .empty : Node(.string(text)))
    }
    changes.append((Path("long"), Node(.string(String(repeating: "\(version)", count: 50_000)))))
    changes.append((Path("version"), Node(.int(version))))
    return node.replacing(changes)
  }

  /// The data of all versions as JSON, made without files.
  private static let contents: [[UInt8]] = {
    var (node, contents) = (Node.empty, [Node.empty.json(.export)])
    for version in 1...versionCount {
      node = change(node, version)
      contents.append(node.json(.export))
    }
    return contents
  }()

  // MARK: Steps

  /// Opens the files at the newest checkpoint; a second time when the first attempt fails, as an operator would.
  private mutating func open() {
    end()
    for _ in 0..<2 {
      let isOpen = perform(.open) { run in
        let (found, checkpoint, pages) = try Pages.open(run.folder)
        run.node = try pages.node(checkpoint)
        if found < run.version { run.problems.append("version \(run.version) was stored, and \(found) is found") }
        (run.version, run.pages) = (found, pages)
      }
      if isOpen { return }
    }
  }

  /// Makes a version, stores it and its checkpoint, and reads it back.
  private mutating func store(_ next: Int64) {
    guard pages != nil else { return open() }
    var stored = StoredNode.empty
    var changed = Node.empty
    let isWritten =
      perform(.read) { run in
        let (node, faults) = FaultScope.run(.install) { Self.change(run.node, next) }
        changed = node
        if faults.failed > 0 { throw run.pages?.takeFailure() ?? PageError("no failure is latched") }
      }
      && perform(.write) { run in
        do throws(PageError) {
          stored = try run.pages?.writer.write(changed) ?? .empty
        } catch {
          run.pages?.writer.discard()
          throw error
        }
      } && perform(.sync) { run in try run.pages?.writer.commit() }
    guard isWritten, let pages else { return }
    let checkpoint = PageCheckpoint(root: stored, sessions: .empty, settings: .empty, extent: pages.files.extent)
    let isDurable = perform(.row) { run in
      do throws(AtomicFile.Problem) {
        try Pages.row(run.folder).write([UInt8(next)] + checkpoint.bytes)
      } catch {
        throw PageError(error.what, error.isNoSpace ? .noSpace : .inputOutput, file: Pages.row(run.folder).path)
      }
    }
    // The row's outcome is unknown: its reader decides.
    guard isDurable else { return open() }
    disk.promise(next)
    (version, node) = (next, changed)
    // Nothing stays in memory, so that the next version is made of what is in the files.
    perform(.read) { run in run.node = try run.pages?.node(checkpoint) ?? run.node }
  }

  /// Performs a step. Returns true when it was done.
  @discardableResult
  private mutating func perform(_ operation: Operation, _ body: (inout PageFilesRun) throws -> Void) -> Bool {
    do {
      try body(&self)
      outcomes.append((operation.rawValue, .done))
      return true
    } catch let error as PageError {
      if error.file == nil { problems.append("\(operation): no file in \(error)") }
      switch error.code {
      case .noSpace: outcomes.append((operation.rawValue, .refused))
      case .inputOutput: outcomes.append((operation.rawValue, .unknown))
      case .failed:
        outcomes.append((operation.rawValue, .stopped))
        checkStop()
        open()  // as the next start of the process does
      default: problems.append("\(operation): a fault is taken for another error: \(error)")
      }
    } catch {
      problems.append("\(operation): \(error) is no error of page files")
    }
    return false
  }

  /// Checks that nothing is written after a failed sync.
  private mutating func checkStop() {
    let count = disk.events.count
    do {
      _ = try pages?.writer.write(Self.change(.empty, 1))
      problems.append("pages are written after a failed sync")
    } catch {
      if error.code != .failed { problems.append("a failed sync becomes \(error)") }
    }
    pages?.writer.discard()
    if (try? pages?.writer.commit()) != nil || disk.events.count > count {
      problems.append("something is written after a failed sync")
    }
  }

  func problem(in folder: String, promised: Int64) -> String? {
    do {
      let (position, checkpoint, pages) = try Pages.open(folder)
      defer { pages.files.close() }
      if position < promised { return "version \(promised) was acknowledged, and \(position) is there" }
      let node = try pages.node(checkpoint)
      let (text, faults) = FaultScope.run(.stream) { node.json(.export) }
      if faults.isIncomplete { return "a page is lost: \(pages.takeFailure().map { "\($0)" } ?? "")" }
      return text == Self.contents[Int(position)] ? nil : "version \(position) has other data"
    } catch {
      return "it is refused: \(error)"
    }
  }

  /// Open page files.
  private struct Pages {
    let files: PageFiles
    var writer: StoredNodeWriter<PageFileWriter>

    static func row(_ folder: String) -> AtomicFile { AtomicFile(folder: folder, name: "row") }

    /// Opens the files at the newest checkpoint of a folder. The row is its version, a byte, and the checkpoint.
    static func open(_ folder: String) throws -> (version: Int64, PageCheckpoint?, Pages) {
      let bytes: [UInt8]?
      do throws(AtomicFile.Problem) {
        bytes = try row(folder).read(bytesMax: 1 << 20)
      } catch {
        throw PageError(error.what, .inputOutput, file: row(folder).path)
      }
      let checkpoint = try bytes.map { bytes throws(PageError) in
        try PageCheckpoint(Array(bytes.dropFirst()), layout: layout)
      }
      let files = try PageFiles(
        folder: folder + "/j.pages", extent: checkpoint?.extent ?? .empty, layout: layout, openFilesMax: 2, mount: nil)
      guard let store = FolderSource.store else { throw PageError("no number is left for the store") }
      FolderSource.shared.files.withLock { $0 = files }
      let makeNonce: @Sendable () -> UInt64 = {
        FolderSource.shared.nonce.withLock { value in
          value &+= 0x9E37_79B9_7F4A_7C15
          return value
        }
      }
      return (
        Int64(bytes?.first ?? 0), checkpoint,
        Pages(files: files, writer: StoredNodeWriter(PageFileWriter(files, store: store, makeNonce: makeNonce)))
      )
    }

    func node(_ checkpoint: PageCheckpoint?) throws -> Node {
      guard let checkpoint, let store = FolderSource.store else { return .empty }
      return try StoredNode(checkpoint.root, in: store).open()
    }

    func takeFailure() -> PageError? {
      defer { FolderSource.store?.clearFailure() }
      return FolderSource.store?.failure
    }
  }
}

/// The files that a run or a check has opened last. They have one number together, because a process has few for stores.
private final class FolderSource: PageSource {
  static let shared = FolderSource()
  static let store = PageStore.register(shared)

  let files = Mutex<PageFiles?>(nil)
  let nonce = Mutex<UInt64>(1)

  func read(at location: PageLocation, _ body: (UnsafeRawBufferPointer, UInt64) -> Void) throws(PageError) {
    guard let files = files.withLock(\.self) else { throw PageError("no files are open", at: location) }
    try files.read(at: location, body)
  }

  func file(at location: PageLocation) -> String? { files.withLock(\.self)?.file(at: location) }
}
