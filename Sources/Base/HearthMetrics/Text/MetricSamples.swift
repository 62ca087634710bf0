/// Samples that are read at a scrape instead of being counted, grouped by metric.
public struct MetricSamples: Sendable {
  private var families: [String: MetricFamily] = [:]
  private let limits: MetricsLimits

  /// Creates an empty collection.
  public init(limits: MetricsLimits = MetricsLimits()) { self.limits = limits }

  /// Adds a series; one that exceeds the limit of its metric is left out.
  ///
  /// - Parameter labels: The values of the labels, in the order of the description's names.
  public mutating func add(_ description: MetricDescription, _ value: Double, _ labels: String...) {
    let named = zip(description.labels, labels).map { MetricLabel($0, $1) }
    var family = families[description.name] ?? MetricFamily(description, [])
    guard family.series.count < limits.seriesPerFamilyMax else { return }
    families[description.name] = nil
    family.series.append(MetricFamily.Series(named, .number(value)))
    families[description.name] = family
  }

  /// Returns the text of these samples and of the counted families, in order of name.
  public func text(with counted: [MetricFamily]) -> [UInt8] {
    var text = PrometheusText()
    for family in (counted.filter { families[$0.description.name] == nil } + families.values)
      .sorted(by: { $0.description.name < $1.description.name })
    {
      text.write(family)
    }
    return text.bytes
  }
}
