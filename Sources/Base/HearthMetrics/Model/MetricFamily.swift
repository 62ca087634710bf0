/// The values of one metric at the time of a scrape.
public struct MetricFamily: Sendable, Equatable {
  /// The value of a metric for one set of labels.
  public struct Series: Sendable, Equatable {
    /// The labels, in the order in which they are written.
    public var labels: [MetricLabel]
    /// The measured value.
    public var value: Value

    /// Creates a series.
    public init(_ labels: [MetricLabel] = [], _ value: Value) {
      self.labels = labels
      self.value = value
    }
  }

  /// The value of a series.
  public enum Value: Sendable, Equatable {
    /// A count or a level.
    case number(Double)
    /// A histogram.
    case histogram(HistogramCounts)
  }

  /// The metric's name, kind and help text.
  public var description: MetricDescription
  /// The series, which have distinct labels.
  public var series: [Series]

  /// Creates a family.
  public init(_ description: MetricDescription, _ series: [Series]) {
    self.description = description
    self.series = series
  }
}

/// A label of a series.
public struct MetricLabel: Sendable, Hashable {
  /// ASCII letters, digits and `_`, not beginning with a digit.
  public var name: String
  /// Any text; it is escaped when it is written.
  public var value: String

  /// Creates a label.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The number of observations in each bucket, and their sum.
public struct HistogramCounts: Sendable, Equatable {
  /// The greatest values of the buckets, in ascending order; greater observations are in one more bucket.
  public var bounds: [Double]
  /// The number of observations in each bucket alone, not cumulative: one more than ``bounds``.
  public var counts: [UInt64]
  /// The sum of all observations.
  public var sum: Double

  /// Creates the counts of a histogram.
  public init(bounds: [Double], counts: [UInt64], sum: Double) {
    self.bounds = bounds
    self.counts = counts
    self.sum = sum
  }
}
