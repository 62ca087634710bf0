/// The limits of a registry.
public struct MetricsLimits: Sendable {
  /// The most series of one metric. Further ones are counted in a series whose labels are all ``otherText``, because
  /// clients that choose names could otherwise fill the memory of the server or of Prometheus.
  public var seriesPerFamilyMax = 500
  /// The most metrics of libraries, in addition to those of the catalogue. Further ones are not counted.
  public var foreignFamiliesMax = 200
  /// The most bytes of a label's value; longer ones are truncated.
  public var labelBytesMax = 256

  /// The value of the labels of the series that counts all others.
  public static let otherText = "other"

  /// Creates the limits of a server, which tests may lower.
  public init() {}
}
