import ArgumentParser
import HearthSystem

/// The flags for the thresholds of low disk space.
struct SpaceFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Warn when the disk of the data folder has less free space than this, such as 2G; 0 to disable. If not given, 1G, \
      or an eighth of a smaller file system.
      """, valueName: "bytes"))
  var lowSpaceWarn: ByteCount?

  @Option(
    help: ArgumentHelp(
      """
      Refuse client writes when the disk has less free space than this; 0 to disable. If not given, 64M, or a 32nd \
      of a smaller file system.
      """, valueName: "bytes"))
  var lowSpaceStop: ByteCount?

  /// The thresholds for low disk space.
  var thresholds: SpaceThresholds { SpaceThresholds(warnBytes: lowSpaceWarn?.bytes, stopBytes: lowSpaceStop?.bytes) }
}
