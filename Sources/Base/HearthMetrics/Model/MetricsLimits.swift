/// The limits of a registry, each with its reason.
public struct MetricsLimits: Sendable {
  /// Series of one metric. Further ones are counted in a series whose labels are all ``otherText``, so that clients
  /// that choose names cannot fill the memory of the server or of its scraper.
  public var seriesPerFamilyMax = 500
  /// Metrics of libraries, beside those of the catalogue. Further ones are not counted.
  public var foreignFamiliesMax = 200
  /// Bytes of a label's value; longer ones are cut.
  public var labelBytesMax = 256

  /// The labels of the series that collects the rest.
  public static let otherText = "other"

  /// The limits of a server, to be narrowed by tests.
  public init() {}
}
