import HearthSystem
import Synchronization

/// The last measure of the free space on the data folder's disk.
package final class SpaceGauge: Sendable {
  private let raw = Atomic(SpaceThresholds.Level.ample.rawValue)

  /// Creates a gauge that reports ample space until the first measure.
  package init() {}

  /// The last measured level.
  package var level: SpaceThresholds.Level {
    get { SpaceThresholds.Level(rawValue: raw.load(ordering: .relaxed)) ?? .ample }
    set { raw.store(newValue.rawValue, ordering: .relaxed) }
  }
}
