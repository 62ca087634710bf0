/// A process of a plugin with the output that was read and not parsed yet.
struct RunningProcess {
  var process: PluginProcess
  var lines: LineFramer
  var log = LogLines()
  /// The time when it closed its standard output; nil while it is open.
  var outputEnd: Int64?

  init(_ process: PluginProcess, lineBytesMax: Int) {
    self.process = process
    lines = LineFramer(lineBytesMax: lineBytesMax)
  }
}
