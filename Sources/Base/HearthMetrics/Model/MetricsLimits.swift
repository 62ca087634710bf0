/// How much a registry holds, whatever is counted. One reason each.
public struct MetricsLimits: Sendable {
  /// Series of one metric. What would be one more is counted in a series whose labels are all ``otherText``, so that
  /// nobody who chooses names fills the memory of the server, or of those who scrape it.
  public var seriesPerFamilyMax = 500
  /// Metrics of others, such as libraries, beside those of the catalogue. More are counted for nobody.
  public var foreignFamiliesMax = 200
  /// Bytes of a label's value; what is longer is cut.
  public var labelBytesMax = 256

  /// What labels are when there are too many.
  public static let otherText = "other"

  /// The limits of a server, to be narrowed by tests.
  public init() {}
}
