import CoreMetrics

/// Handles of the catalogue's metrics.
extension MetricsFactory {
  /// Makes a counter of one series of a metric.
  ///
  /// - Parameter labels: values, in the order of the description's names.
  public func counter(_ description: MetricDescription, _ labels: String...) -> Counter {
    Counter(label: description.name, dimensions: description.dimensions(labels), factory: self)
  }

  /// Makes a timer of one series of a metric.
  public func timer(_ description: MetricDescription, _ labels: String...) -> CoreMetrics.Timer {
    CoreMetrics.Timer(label: description.name, dimensions: description.dimensions(labels), factory: self)
  }

  /// Makes a recorder of one series of a metric.
  public func recorder(_ description: MetricDescription, _ labels: String...) -> Recorder {
    Recorder(label: description.name, dimensions: description.dimensions(labels), aggregate: true, factory: self)
  }
}

extension MetricDescription {
  fileprivate func dimensions(_ values: [String]) -> [(String, String)] { Array(zip(labels, values)) }
}
