import CoreMetrics
import Synchronization

/// A backend of swift-metrics, which creates the instruments and reports their values.
///
/// Counting takes no lock. The number of series is bounded: see ``MetricsLimits``. A destroyed instrument is still
/// reported, because a counter that was reported must not start again at 0.
public final class MetricsRegistry: MetricsFactory {
  private enum Cell {
    case counter(CounterCell)
    case gauge(GaugeCell)
    case histogram(HistogramCell)
  }

  private struct Family {
    let description: MetricDescription
    var cells: [[MetricLabel]: Cell] = [:]
  }

  private struct State {
    var families: [String: Family] = [:]
    var foreignCount = 0
  }

  /// The limits on series and labels.
  public let limits: MetricsLimits
  private let catalogue: [String: MetricDescription]
  private let state = Mutex(State())

  /// - Parameter catalogue: The metrics that are defined in advance.
  public init(_ catalogue: [MetricDescription] = MetricDescription.all, limits: MetricsLimits = MetricsLimits()) {
    self.catalogue = Dictionary(catalogue.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.limits = limits
  }

  /// The values so far, in order of name, series in order of their labels.
  public func families() -> [MetricFamily] {
    let found = state.withLock { $0.families }
    return found.sorted { $0.key < $1.key }.map { _, family in
      let series = family.cells.map { labels, cell -> MetricFamily.Series in
        switch cell {
        case .counter(let cell): .init(labels, .number(cell.value))
        case .gauge(let cell): .init(labels, .number(cell.value))
        case .histogram(let cell): .init(labels, .histogram(cell.value))
        }
      }
      return MetricFamily(family.description, series.sorted { Self.isBefore($0.labels, $1.labels) })
    }
  }

  private static func isBefore(_ one: [MetricLabel], _ other: [MetricLabel]) -> Bool {
    one.lexicographicallyPrecedes(other) { ($0.name, $0.value) < ($1.name, $1.value) }
  }

  // MARK: The protocol of swift-metrics

  /// Creates a counter of whole numbers.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    counter(label, dimensions)
  }

  /// Creates a counter that also accepts fractions.
  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler { counter(label, dimensions) }

  private func counter(_ label: String, _ dimensions: [(String, String)]) -> CounterCell {
    if case .counter(let cell)? = cell(label, dimensions, as: .counter) { return cell }
    return CounterCell()
  }

  /// Creates a gauge.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { gauge(label, dimensions) }

  private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeCell {
    if case .gauge(let cell)? = cell(label, dimensions, as: .gauge) { return cell }
    return GaugeCell()
  }

  /// Creates a histogram of sizes, or without `aggregate` a gauge.
  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    aggregate ? histogram(label, dimensions, MetricBuckets.sizes) : gauge(label, dimensions)
  }

  /// Creates a histogram of seconds.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    histogram(label, dimensions, MetricBuckets.seconds)
  }

  private func histogram(
    _ label: String, _ dimensions: [(String, String)], _ bounds: [Double]
  ) -> HistogramCell {
    if case .histogram(let cell)? = cell(label, dimensions, as: .histogram(bounds: bounds)) { return cell }
    return HistogramCell(bounds: bounds)
  }

  /// Does nothing: the counter is still reported.
  public func destroyCounter(_ handler: any CounterHandler) {}
  /// Does nothing: the counter is still reported.
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  /// Does nothing: the meter is still reported.
  public func destroyMeter(_ handler: any MeterHandler) {}
  /// Does nothing: the recorder is still reported.
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Does nothing: the timer is still reported.
  public func destroyTimer(_ handler: any TimerHandler) {}

  // MARK: Finding a cell

  /// - Returns: nil for a metric that is not counted: its name has another kind already, or there are too many.
  private func cell(
    _ label: String, _ dimensions: [(String, String)], as kind: MetricDescription.Kind
  ) -> Cell? {
    let name = Self.name(label)
    let known = catalogue[name]
    if let known, known.kind.text != kind.text { return nil }
    let description = known ?? MetricDescription(name, kind, "A metric of a library.")
    var labels = dimensions.map { MetricLabel(Self.labelName($0.0), cut($0.1)) }
    if known == nil { labels = Self.ordered(labels) }
    return state.withLock { state in
      if state.families[name] == nil {
        if known == nil {
          guard state.foreignCount < limits.foreignFamiliesMax else { return nil }
          state.foreignCount += 1
        }
        state.families[name] = Family(description: description)
      }
      guard let family = state.families[name], family.description.kind.text == kind.text else { return nil }
      if let cell = family.cells[labels] { return cell }
      if family.cells.count >= limits.seriesPerFamilyMax - 1, !labels.isEmpty {
        labels = labels.map { MetricLabel($0.name, MetricsLimits.otherText) }
        if let cell = family.cells[labels] { return cell }
      }
      guard family.cells.count < limits.seriesPerFamilyMax else { return nil }
      let made = Self.make(family.description.kind)
      state.families[name]?.cells[labels] = made
      return made
    }
  }

  /// Returns a library's labels in order of name, without duplicates and without the label `le` of histograms:
  /// Prometheus would refuse the whole scrape because of such a series.
  private static func ordered(_ labels: [MetricLabel]) -> [MetricLabel] {
    var values: [String: String] = [:]
    for label in labels { values[label.name == "le" ? "_le" : label.name] = label.value }
    return values.sorted { $0.key < $1.key }.map { MetricLabel($0.key, $0.value) }
  }

  private static func make(_ kind: MetricDescription.Kind) -> Cell {
    switch kind {
    case .counter: .counter(CounterCell())
    case .gauge: .gauge(GaugeCell())
    case .histogram(let bounds): .histogram(HistogramCell(bounds: bounds))
    }
  }

  /// Returns the text, truncated between characters to the limit in bytes.
  private func cut(_ value: String) -> String {
    guard value.utf8.count > limits.labelBytesMax else { return value }
    var (end, count) = (value.unicodeScalars.startIndex, 0)
    while end < value.unicodeScalars.endIndex {
      count += UTF8.width(value.unicodeScalars[end])
      guard count <= limits.labelBytesMax else { break }
      value.unicodeScalars.formIndex(after: &end)
    }
    return String(value.unicodeScalars[..<end])
  }

  /// Returns the name of a metric, with characters replaced that Prometheus does not allow.
  static func name(_ text: String) -> String { plain(text, allowsColon: true) }

  /// Returns the name of a label, with characters replaced that Prometheus does not allow.
  static func labelName(_ text: String) -> String { plain(text, allowsColon: false) }

  private static func plain(_ text: String, allowsColon: Bool) -> String {
    var bytes = text.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        byte
      case UInt8(ascii: ":") where allowsColon: byte
      default: UInt8(ascii: "_")
      }
    }
    if bytes.first.map({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) ?? true {
      bytes.insert(UInt8(ascii: "_"), at: 0)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
