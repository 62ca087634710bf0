/// All that is known of one metric at one moment: what a scrape tells of it.
public struct MetricFamily: Sendable, Equatable {
  /// What is told of one set of labels.
  public struct Series: Sendable, Equatable {
    /// In the order in which they are written.
    public var labels: [MetricLabel]
    /// What was measured.
    public var value: Value

    /// A series of these parts.
    public init(_ labels: [MetricLabel] = [], _ value: Value) {
      self.labels = labels
      self.value = value
    }
  }

  /// What a series holds.
  public enum Value: Sendable, Equatable {
    /// A count or a level.
    case number(Double)
    /// Observations by size.
    case histogram(HistogramCounts)
  }

  /// What it is: name, kind, help.
  public var description: MetricDescription
  /// None twice with the same labels.
  public var series: [Series]

  /// A family of these parts.
  public init(_ description: MetricDescription, _ series: [Series]) {
    self.description = description
    self.series = series
  }
}

/// A label of a series.
public struct MetricLabel: Sendable, Hashable {
  /// ASCII letters, digits and `_`, beginning with no digit.
  public var name: String
  /// Any text; it is escaped when it is written.
  public var value: String

  /// A label of these parts.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The number of observations that were of which size.
public struct HistogramCounts: Sendable, Equatable {
  /// The greatest values of the buckets, rising; what is greater than the last one is in one more bucket.
  public var bounds: [Double]
  /// The number of observations that are in each bucket, and in no other: one more than ``bounds``.
  public var counts: [UInt64]
  /// Of all observations.
  public var sum: Double

  /// Counts of these parts.
  public init(bounds: [Double], counts: [UInt64], sum: Double) {
    self.bounds = bounds
    self.counts = counts
    self.sum = sum
  }
}
