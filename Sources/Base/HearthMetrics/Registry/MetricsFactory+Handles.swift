import CoreMetrics

/// The creation of instruments for the catalogue's metrics.
extension MetricsFactory {
  /// Creates a counter of one series of a metric.
  ///
  /// - Parameter labels: The values of the labels, in the order of the description's names.
  public func counter(_ description: MetricDescription, _ labels: String...) -> Counter {
    Counter(label: description.name, dimensions: description.dimensions(labels), factory: self)
  }

  /// Creates a timer of one series of a metric.
  public func timer(_ description: MetricDescription, _ labels: String...) -> CoreMetrics.Timer {
    CoreMetrics.Timer(label: description.name, dimensions: description.dimensions(labels), factory: self)
  }

  /// Creates a recorder of one series of a metric.
  public func recorder(_ description: MetricDescription, _ labels: String...) -> Recorder {
    Recorder(label: description.name, dimensions: description.dimensions(labels), aggregate: true, factory: self)
  }
}

extension MetricDescription {
  fileprivate func dimensions(_ values: [String]) -> [(String, String)] { Array(zip(labels, values)) }
}
