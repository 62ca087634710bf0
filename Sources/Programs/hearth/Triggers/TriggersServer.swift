import ArgumentParser

/// Whose triggers a command works on.
struct TriggersServer: ParsableArguments {
  @OptionGroup var admin: AdminOptions

  /// Connects, does the work, and ends with 2 for what cannot be done.
  func run(_ work: @Sendable (SettingsClient) async throws -> Void) async throws {
    try await admin.withSettings("triggers", work)
  }
}
