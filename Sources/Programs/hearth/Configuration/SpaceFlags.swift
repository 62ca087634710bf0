import ArgumentParser
import HearthSystem

/// The flags for the thresholds of low disk space.
struct SpaceFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Warn when the disk of the data folder has less room than this, such as 2G; 0 is never. \
      If not given, 1G, or an eighth of the file system if that is less.
      """, valueName: "bytes"))
  var lowSpaceWarn: ByteCount?

  @Option(
    help: ArgumentHelp(
      """
      Refuse writes when the disk has less room than this, and keep it for administration; 0 is never. \
      If not given, 64M, or a 32nd of the file system if that is less.
      """, valueName: "bytes"))
  var lowSpaceStop: ByteCount?

  /// The thresholds for low disk space.
  var thresholds: SpaceThresholds { SpaceThresholds(warnBytes: lowSpaceWarn?.bytes, stopBytes: lowSpaceStop?.bytes) }
}
