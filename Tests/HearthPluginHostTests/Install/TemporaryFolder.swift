import Glibc
import HearthSystem

@testable import HearthPluginHost

/// A folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array("\(parent)/plugin-tests-XXXXXX".utf8CString)
    precondition(mkdtemp(&name) != nil, "no folder in \(parent)")
    path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  deinit { PluginFiles.remove(path) }

  /// Writes a file below the folder, optionally as an executable.
  func write(_ name: String, _ text: String, isProgram: Bool = false) throws {
    try AtomicFile(path: "\(path)/\(name)").write(Array(text.utf8))
    if isProgram { chmod("\(path)/\(name)", 0o755) }
  }
}

/// A shell plugin that answers each request with the same output.
struct SamplePlugin {
  var name = "sample"
  var version = "1.0.0"
  var hooks = ["exchange"]
  var providerID = "sample"
  var output = "{\"user\":{\"uid\":\"u1\"}}"
  var settings = "{}"
  /// Additional members of the manifest, each with a leading comma.
  var members = ""
  /// The plugin's first commands.
  var beginning = ""
  /// The plugin's commands when it is drained.
  var ending = "exit 0"

  func write(to folder: TemporaryFolder) throws {
    let provider =
      hooks.contains("exchange") ? ",\"provider\":{\"id\":\"\(providerID)\",\"displayName\":\"Sample\"}" : ""
    let names = hooks.map { "\"\($0)\"" }.joined(separator: ",")
    try folder.write(
      "plugin.json",
      """
      {"name":"\(name)","version":"\(version)","protocol":1,"command":["./run.sh"],"hooks":[\(names)]\(provider),
       "settings":\(settings)\(members)}
      """)
    try folder.write(
      "run.sh",
      """
      #!/bin/sh
      \(beginning)
      read -r hello
      echo '{"hello":{"protocol":1,"name":"\(name)","version":"\(version)","hooks":[\(names)]}}'
      while read -r line; do
        case $line in
        *input*)
          id=${line#*:}
          echo "{\\"id\\":${id%%,*},\\"output\\":$(cat <<'END'
      \(output)
      END
          )}" ;;
        *drain*) \(ending) ;;
        esac
      done
      """, isProgram: true)
  }
}
