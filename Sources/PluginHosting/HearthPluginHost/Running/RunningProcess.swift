/// A process of a plugin with what was read of it and not used yet.
struct RunningProcess {
  var process: PluginProcess
  var lines: LineFramer
  var log = LogLines()
  /// The time when it closed its standard output.
  var outputEnd: Int64?

  init(_ process: PluginProcess, lineBytesMax: Int) {
    self.process = process
    lines = LineFramer(lineBytesMax: lineBytesMax)
  }
}
