import HearthTree
import NIOCore

/// The latencies in the server's own receipts of a run.
enum ReceiptFigures {
  /// Returns the 99th percentiles of the receipts with this number of cancelled listeners, as one line, or nil when
  /// there are none.
  static func summary(of target: BenchTarget, cancelled: Int) async throws -> String? {
    let path = "/.settings/receipts.json?ns=\(target.namespace)&auth=\(target.adminCredential)"
    let answer = try await BenchHTTP.ask(.init(method: .GET, path: path), of: target)
    guard let body = answer.body, let receipts = JSON(parsing: body.readableBytesView)?["receipts"]?.array else {
      return nil
    }
    let figures = receipts.filter { $0["cancelled"]?.int == Int64(cancelled) && $0["isComplete"]?.bool == true }
      .compactMap { milliseconds($0["milliseconds"]?["p99"]) }.sorted()
    guard let least = figures.first, let most = figures.last else { return nil }
    return "receipts: p99 \(least) to \(most) ms"
  }

  private static func milliseconds(_ json: JSON?) -> Double? {
    switch json {
    case .double(let value)?: value
    case .int(let value)?: Double(value)
    default: nil
    }
  }
}
