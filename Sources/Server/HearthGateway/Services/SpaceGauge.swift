import HearthSystem
import Synchronization

/// How much room the disk of the data folder has, as it was last looked at.
package final class SpaceGauge: Sendable {
  private let raw = Atomic(SpaceThresholds.Level.ample.rawValue)

  /// Room enough, as far as anybody knows.
  package init() {}

  /// How much there is.
  package var level: SpaceThresholds.Level {
    get { SpaceThresholds.Level(rawValue: raw.load(ordering: .relaxed)) ?? .ample }
    set { raw.store(newValue.rawValue, ordering: .relaxed) }
  }
}
