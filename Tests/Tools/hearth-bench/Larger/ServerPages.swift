import Glibc
import HearthProgram

/// The pages that a server has read, its processor time, and the bytes that it has exchanged with the disk.
struct ServerPages {
  private var readCount = 0.0
  private var processorSeconds = 0.0
  private var diskReadBytes = 0.0
  private var diskWrittenBytes = 0.0

  init(of target: BenchTarget) async throws {
    let request = BenchHTTP.Request(method: .GET, path: "/.metrics?auth=\(target.adminCredential)")
    let answer = try await BenchHTTP.ask(request, of: target)
    guard answer.status == 200, let body = answer.body else {
      throw BenchServer.Failure(description: "/.metrics: status \(answer.status)")
    }
    for line in String(buffer: body).split(separator: "\n") where line.hasPrefix("hearth_page_reads_total") {
      readCount += line.split(separator: " ").last.flatMap { Double($0) } ?? 0
    }
    guard let process = target.process else { return }
    processorSeconds = ServerLoad.processorSeconds(process) ?? 0
    for line in try TextFile.read("/proc/\(process)/io").split(separator: "\n") {
      let number = line.split(separator: " ").last.flatMap { Double($0) } ?? 0
      if line.hasPrefix("read_bytes") { diskReadBytes = number }
      if line.hasPrefix("write_bytes") { diskWrittenBytes = number }
    }
  }

  /// Returns the figures for each operation since an earlier moment.
  func text(since earlier: Self, operationCount: Double) -> String {
    let count = max(1, operationCount)
    func each(_ figure: KeyPath<Self, Double>) -> Double { (self[keyPath: figure] - earlier[keyPath: figure]) / count }
    return Self.text(
      processorMicroseconds: each(\.processorSeconds) * 1e6, pageCount: each(\.readCount),
      readBytes: each(\.diskReadBytes), writtenBytes: each(\.diskWrittenBytes))
  }

  /// Returns the text of figures for each operation.
  static func text(
    processorMicroseconds: Double, pageCount: Double? = nil, readBytes: Double, writtenBytes: Double
  ) -> String {
    "\(NumberFormat.hundredths(processorMicroseconds)) µs of processor"
      + (pageCount.map { ", \(NumberFormat.hundredths($0)) pages read" } ?? "")
      + ", disk \(NumberFormat.grouped(readBytes)) B read, \(NumberFormat.grouped(writtenBytes)) B written, each"
  }
}
