/// The definition of a metric: its name, type, help text and labels.
public struct MetricDescription: Sendable, Hashable {
  /// The type of a metric.
  public enum Kind: Sendable, Hashable {
    /// A count that only grows, from 0 at the server's start.
    case counter
    /// A level that rises and falls.
    case gauge
    /// Observations, counted in buckets with these greatest values, in ascending order.
    case histogram(bounds: [Double])

    /// The type's name in a scrape.
    var text: String {
      switch self {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  /// The unique name, with its unit: `hearth_sync_seconds`.
  public var name: String
  /// The metric's type.
  public var kind: Kind
  /// A sentence for the operator.
  public var help: String
  /// The names of the labels that each of its series has.
  public var labels: [String]

  /// Creates the definition of a metric.
  public init(_ name: String, _ kind: Kind, labels: [String] = [], _ help: String) {
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
  }
}
