import ArgumentParser
import HearthGateway
import HearthProgram

/// The option `--at` for a past moment.
struct MomentOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The data of this time: '10 minutes ago', 2h, 2026-11-20T14:03:00Z, or the position of a commit.",
      valueName: "moment"))
  var at: String?

  func validate() throws { if let at { try Self.check(at) } }

  /// The parameters for the REST interface. The server's clock defines the present.
  var parameters: DatabaseClient.Parameters { at.map { [("at", $0)] } ?? [] }

  /// - Throws: `ValidationError` for an invalid moment.
  static func check(_ text: String) throws {
    do {
      _ = try HistoryMoment(text, nowMilliseconds: WallClock.nowMilliseconds)
    } catch {
      throw ValidationError("--at \(text): \(error)")
    }
  }
}
