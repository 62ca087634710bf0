/// Prometheus' text format, version 0.0.4: the answer to `GET /.metrics`.
///
/// Two lines define a metric, then each series has a line; a histogram has one for each bucket, which includes all
/// smaller buckets, and two for the sum and the count.
public struct PrometheusText: Sendable {
  /// The `Content-Type` header of the text.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The text so far, in UTF-8.
  public private(set) var bytes: [UInt8] = []

  /// Creates an empty text.
  public init() {}

  /// Writes a family; nothing when it has no series.
  public mutating func write(_ family: MetricFamily) {
    guard !family.series.isEmpty else { return }
    let name = family.description.name
    write("# HELP \(name) ")
    write(escaped: family.description.help, quotes: false)
    write("\n# TYPE \(name) \(family.description.kind.text)\n")
    for series in family.series {
      switch series.value {
      case .number(let value): line(name, series.labels, value)
      case .histogram(let counts): write(counts, name, series.labels)
      }
    }
  }

  private mutating func write(_ histogram: HistogramCounts, _ name: String, _ labels: [MetricLabel]) {
    var total: UInt64 = 0
    for (index, count) in histogram.counts.enumerated() {
      total &+= count
      let bound = index < histogram.bounds.count ? Self.text(histogram.bounds[index]) : "+Inf"
      line(name + "_bucket", labels + [MetricLabel("le", bound)], Double(total))
    }
    line(name + "_sum", labels, histogram.sum)
    line(name + "_count", labels, Double(total))
  }

  private mutating func line(_ name: String, _ labels: [MetricLabel], _ value: Double) {
    write(name)
    for (index, label) in labels.enumerated() {
      write(index == 0 ? "{" : ",")
      write(label.name + "=\"")
      write(escaped: label.value, quotes: true)
      write("\"")
    }
    if !labels.isEmpty { write("}") }
    write(" " + Self.text(value) + "\n")
  }

  /// Writes a text with a backslash, a line feed and, in a label's value, a quotation mark escaped.
  private mutating func write(escaped text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): write("\\\\")
      case UInt8(ascii: "\n"): write("\\n")
      case UInt8(ascii: "\"") where quotes: write("\\\"")
      default: bytes.append(byte)
      }
    }
  }

  private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Returns a number with the fewest digits that are parsed as the same number.
  static func text(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    if let whole = Int64(exactly: value) { return String(whole) }
    return "\(value)"
  }
}
