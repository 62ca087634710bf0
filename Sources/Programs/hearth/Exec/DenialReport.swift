import ArgumentParser
import Glibc
import HearthProgram
import HearthServer
import HearthWorkbench

/// The last requests of a test suite that rules denied, with their explanations.
struct DenialReport {
  /// The condition for the report.
  enum Condition: String, CaseIterable, ExpressibleByArgument {
    case always
    case never
    case onFailure = "on-failure"

    func isMet(by code: Int32) -> Bool {
      switch self {
      case .always: true
      case .never: false
      case .onFailure: code != 0
      }
    }
  }

  /// The maximum number of different denials.
  static let countMax = 10

  private let denials: [RecentDenial]
  private let omittedCount: Int
  /// The name of the rules file in positions; nil for several files.
  private let file: String?

  /// Reads the denials of a running server.
  ///
  /// - Parameter files: The rules files that databases may use.
  init(of server: HearthServer, files: [String]) {
    (denials, omittedCount) = server.recentDenials(Self.countMax)
    file = files.count == 1 ? files[0] : nil
  }

  /// Prints the report to standard error, apart from the command's output.
  func print() {
    guard !denials.isEmpty else { return }
    let text = text(TerminalStyle(isColored: Output.isNoteColored))
    Output.raw(Array(text.utf8), to: STDERR_FILENO)
  }

  private func text(_ style: TerminalStyle) -> String {
    var text = style.strong("Denied by the rules") + omitted + "\n"
    for denial in denials {
      let user = denial.uid.map(TextTable.printable) ?? "<signed out>"
      let count = denial.count == 1 ? "" : ", \(denial.count) times"
      text += "\n" + style.warning("denied") + "  \(denial.operation) \(TextTable.printable(denial.path)) by \(user)"
      text += style.faint("  database \(denial.database)\(count)") + "\n"
      let reason =
        denial.explanation.map { explanation in
          explanation.rendered(file: file ?? explanation.file, isColored: Output.isNoteColored)
        } ?? TextTable.printable(denial.sentence)
      text +=
        reason.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  \($0)" }
        .joined(separator: "\n").trimmingLineEnds + "\n"
    }
    return text + "\n"
  }

  private var omitted: String {
    omittedCount == 0 ? "" : " (the last \(denials.count) of \(denials.count + omittedCount) different requests)"
  }
}

extension String {
  /// The text without line ends behind it.
  fileprivate var trimmingLineEnds: String { String(reversed().drop { $0 == "\n" }.reversed()) }
}
