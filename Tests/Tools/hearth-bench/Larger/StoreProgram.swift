import Glibc
import HearthProgram

/// A program of `Tests/Tools/StoreBench`: the same load on another store, in one process and without sockets.
struct StoreProgram {
  private let program: String
  private let records: RecordSet
  private let cacheBytes: Int
  private let folder: String

  init(_ program: String, _ records: RecordSet, cacheBytes: Int, in parent: String) throws {
    (self.program, self.records, self.cacheBytes) = (program, records, cacheBytes)
    folder = try Folder.makeTemporary(in: parent, named: "hearth-bench")
  }

  func remove() { Folder.remove(folder) }

  /// Writes all records.
  func fill(in group: MemoryGroup?) throws { _ = try output(["fill"], [], in: group) }

  /// Puts a load on the store.
  func run(_ kind: RecordLoad.Kind, seconds: Double, _ setup: String, in group: MemoryGroup?) throws -> BenchResult {
    let words = [kind.isWrite ? "writes" : "reads", kind.isHot ? "hot" : "uniform"]
    let text = try output(words, ["\(seconds)"], in: group)
    let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard figures.count == 6 else { throw BenchServer.Failure(description: "\(program) printed \(text)") }
    let name = program.split(separator: "/").last.map(String.init) ?? program
    return BenchResult(
      name: kind.name, setup: "\(name), \(setup)", rate: figures[0], unit: "a second",
      latency: LatencySummary(p50: UInt64(figures[1]), p99: UInt64(figures[2]), max: 0),
      note: ServerPages.text(
        processorMicroseconds: figures[3] / 1_000, readBytes: figures[4], writtenBytes: figures[5]))
  }

  private func output(_ words: [String], _ more: [String], in group: MemoryGroup?) throws -> String {
    let (output, input) = try BenchServer.makePipe()
    let numbers = [records.count, records.sizeBytes, cacheBytes].map { "\($0)" }
    let process = try ChildProcess.spawn(program, [folder] + words + numbers + more, output: input, cpu: nil)
    close(input)
    defer { close(output) }
    try group?.add(process)
    var text = ""
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while case let count = read(output, &chunk, chunk.count), count > 0 {
      text += String(decoding: chunk[..<count], as: UTF8.self)
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw BenchServer.Failure(description: "\(program) failed") }
    return text
  }
}
