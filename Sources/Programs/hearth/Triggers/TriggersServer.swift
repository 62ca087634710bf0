import ArgumentParser

/// The options for the server of a command on triggers.
struct TriggersServer: ParsableArguments {
  @OptionGroup var admin: AdminOptions

  /// Connects, does the work, and ends with 2 for what cannot be done.
  func run(_ work: @Sendable (SettingsClient) async throws -> Void) async throws {
    try await admin.withSettings("triggers", work)
  }
}
