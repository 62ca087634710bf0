/// The bounds of the buckets of histograms: their greatest values.
public enum MetricBuckets {
  /// The bounds for durations in seconds, from the fastest decision to the longest acceptable wait: fifty microseconds
  /// to ten seconds.
  public static let seconds: [Double] = [
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// The bounds for the sizes of batches: powers of two.
  public static let sizes: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096]
}
