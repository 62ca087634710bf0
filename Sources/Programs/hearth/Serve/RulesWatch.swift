import HearthProgram
import HearthRules
import HearthServer
import HearthSystem

/// A watch that deploys a rules file each time it changes once the server has started. A file with mistakes leaves the
/// last good rules in force.
///
/// The file is polled four times a second rather than watched through inotify: editors replace files in many ways, and
/// its inode, size and time show them all.
struct RulesWatch {
  var path: String
  /// The database of the file; nil for every database without rules of its own.
  var namespace: String?
  var seen: FileVersion?
  var server: HearthServer
  var reader: RulesReader

  /// Watches the file until the task is cancelled.
  func run() async {
    var seen = self.seen
    while (try? await Task.sleep(for: .milliseconds(250))) != nil {
      let version = FileVersion(of: path)
      guard server.boundPort != nil, let version, version != seen else { continue }
      seen = version
      await deploy()
    }
  }

  private func deploy() async {
    do {
      await deploy(try await reader.text(path))
    } catch let error as RulesError {
      Output.line("rules: \(path):\(error.uploadErrorText.dropLast()) - the previous rules stay in force")
    } catch {
      Output.line("rules: \(error) - the previous rules stay in force")
    }
  }

  private func deploy(_ text: String) async {
    do {
      try await server.deployRules(text, to: namespace, from: path)
      Output.line("rules: \(path) is in force")
    } catch {
      Output.line("rules: \(path):\(error) - the previous rules stay in force")
    }
  }
}
