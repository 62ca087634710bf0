import ArgumentParser

/// The options for the server of a command on triggers.
struct TriggersServer: ParsableArguments {
  @OptionGroup var admin: AdminOptions

  /// Connects, does the work, and exits with 2 on a failure.
  func run(_ work: @Sendable (SettingsClient) async throws -> Void) async throws {
    try await admin.withSettings("triggers", work)
  }
}
