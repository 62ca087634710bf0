import ArgumentParser
import HearthDoctor
import HearthProgram
import HearthTree
import HearthWorkbench

/// The command `hearth doctor`.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check a data folder, its server and its machine for errors and risks.",
    discussion: """
      Checks file permissions, the speed of the disk, the last backup, the clock, open files, memory, the certificate, \
      public rules, secrets in the configuration, plugins, and file formats. A running server keeps running; a stopped \
      folder is served on loopback during the check. Exits with 0 without warnings and errors, and 1 with a warning or \
      an error.
      """)

  @OptionGroup var options: PluginsOptions

  func run() async throws {
    let report = DoctorReport(try await Examination(options: options, now: WallClock.nowSeconds).findings())
    if options.json { Output.json(report.json) } else { Output.line(text(report)) }
    if report.needsAction { throw ExitCode.failure }
  }

  private func text(_ report: DoctorReport) -> String {
    let style = TerminalStyle(isColored: Output.isColored)
    let lines = report.findings.map { finding in
      let severity = finding.severity.rawValue + String(repeating: " ", count: 7 - finding.severity.rawValue.count)
      let head =
        "\(mark(severity, finding.severity, style))  \(TextTable.printable(finding.text)) "
        + style.faint("(\(finding.code))")
      return head + (finding.advice.map { "\n         \(TextTable.printable($0))" } ?? "")
    }
    return (lines + [report.summary]).joined(separator: "\n")
  }

  private func mark(_ text: String, _ severity: Finding.Severity, _ style: TerminalStyle) -> String {
    switch severity {
    case .ok: style.good(text)
    case .notice: style.faint(text)
    case .warning: style.warning(text)
    case .error: style.bad(text)
    }
  }
}
