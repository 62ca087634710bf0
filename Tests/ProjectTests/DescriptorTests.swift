import Foundation
import Testing

/// Checks that descriptors are opened with close-on-exec in the same call, and that only two files start programs, so
/// that a child process inherits only the descriptors it is given.
@Suite struct DescriptorTests {
  /// Calls that open descriptors and accept a close-on-exec flag.
  private static let flagged = [
    "openat", "socket", "socketpair", "accept4", "mkostemp", "epoll_create1", "eventfd", "timerfd_create", "signalfd",
    "memfd_create", "inotify_init1", "linux_pipe", "pipe2", "dup3",
  ]
  /// Calls without such a flag, and calls that start programs, each with the files that may use it.
  private static let reserved: [String: Set<String>] = [
    "pipe": [], "mkstemp": [], "mkstemps": [], "fopen": [], "popen": [], "dup": [], "epoll_create": [],
    "inotify_init": [],
    "creat": [], "tmpfile": [], "system": [], "fork": [], "execvp": [], "execl": [], "execlp": [], "fexecve": [],
    "posix_spawn": [],
    "posix_spawnp": ["Sources/Base/HearthProgram/ProcessLauncher.swift"],
    "execv": ["Sources/Base/HearthProgram/ProcessLauncher.swift"],
    "vfork": ["Sources/Shims/CLinux/shim.h"],
    "execve": ["Sources/Shims/CLinux/shim.h"],
  ]

  private static var files: [String] {
    [".swift", ".h", ".c", ".cpp"].flatMap { Project.files(below: "Sources", ending: $0) }
  }

  /// Returns true when the line calls the C library's function of this name, not a method or a declaration.
  private static func calls(_ name: String, in line: Substring) -> Bool {
    var rest = line
    while let range = rest.firstRange(of: name + "(") {
      let before = rest[..<range.lowerBound]
      let isWhole = before.last.map { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." } ?? true
      if isWhole || before.hasSuffix("Glibc.") || before.hasSuffix("Musl.") || before.hasSuffix("Darwin."),
        !before.hasSuffix("func "), !before.hasSuffix("int ")
      {
        return true
      }
      rest = rest[range.upperBound...]
    }
    return false
  }

  /// Returns true when a text contains another one, byte by byte.
  private static func has(_ part: String, in text: String) -> Bool { strstr(text, part) != nil }

  private func findings(_ text: String, _ path: String) -> [String] {
    // Most files contain none of the names, and a search of all their lines takes long.
    guard
      ([["open"], Array(Self.flagged), Array(Self.reserved.keys)].joined().contains { Self.has($0 + "(", in: text) })
    else { return [] }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var found: [String] = []
    for (number, line) in lines.enumerated() {
      let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
      let statement = lines[max(0, number - 1)..<min(lines.count, number + 3)].joined(separator: " ")
      let isOpening = Self.calls("open", in: code) && statement.contains("O_")
      if isOpening || Self.flagged.contains(where: { Self.calls($0, in: code) }), !statement.contains("CLOEXEC") {
        found.append("\(path):\(number + 1) opens a descriptor that other programs inherit")
      }
      for (name, places) in Self.reserved where !places.contains(path) && Self.calls(name, in: code) {
        found.append("\(path):\(number + 1) calls \(name)")
      }
    }
    return found
  }

  @Test("no call opens an inheritable descriptor, and programs are started in one place for each kind")
  func calls() throws {
    let found = try Self.files.flatMap { findings(try Project.text($0), $0) }
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    #expect(Self.files.count > 1_000)
  }

  @Test(
    "a call without close-on-exec is found",
    arguments: [
      "let file = open(path, O_RDONLY)", "guard pipe(&ends) == 0", "socket(AF_INET, SOCK_STREAM, 0)", "mkstemp(&name)",
      "Glibc.open(path, O_RDWR)", "posix_spawnp(&id, name)", "let copy = dup(1)",
    ])
  func forgotten(_ line: String) { #expect(findings(line, "a.swift").count == 1) }

  @Test(
    "a call with close-on-exec, and a method with the name of a call, are not reported",
    arguments: [
      "let file = open(path, O_RDONLY | O_CLOEXEC)", "journals.open(name, O_RDONLY)", "func socket(",
      "// mkstemp(&name)",
      "let pipe = box.pipe()",
    ])
  func said(_ line: String) { #expect(findings(line, "a.swift").isEmpty) }
}
