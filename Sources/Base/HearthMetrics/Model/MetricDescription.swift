/// What a metric is: the two lines that a scrape begins it with, and how its observations are sorted.
public struct MetricDescription: Sendable, Hashable {
  /// How a metric behaves.
  public enum Kind: Sendable, Hashable {
    /// It only grows, from 0 at the server's start.
    case counter
    /// It rises and falls.
    case gauge
    /// Observations, counted in buckets of these greatest values, which rise.
    case histogram(bounds: [Double])

    /// As a scrape says it.
    var text: String {
      switch self {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  /// Unique, with its unit: `hearth_sync_seconds`.
  public var name: String
  /// How it behaves.
  public var kind: Kind
  /// A sentence for the operator.
  public var help: String
  /// The names of the labels that each of its series has.
  public var labels: [String]

  /// A metric of these parts.
  public init(_ name: String, _ kind: Kind, labels: [String] = [], _ help: String) {
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
  }
}
