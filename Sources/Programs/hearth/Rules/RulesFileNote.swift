import HearthProgram

/// The note for a deployment that the rules file of the server will undo.
enum RulesFileNote {
  /// Prints a warning when the server of the data folder was started with a rules file of another text, which it puts
  /// in force at its next start. A server that is reached by its URL alone is not known well enough.
  ///
  /// - Parameter text: The deployed rules; nil when they are of a former version.
  static func show(_ server: RulesServer, _ client: RulesClient, text: String? = nil) throws {
    guard try !server.admin.isRemote() else { return }
    let settings = FolderSettings.read(in: try server.admin.folder())
    guard let path = settings.rulesPath, client.namespace == nil || client.namespace == settings.defaultNamespace else {
      return
    }
    guard text == nil || text != (try? TextFile.read(path)) else { return }
    Output.note(
      "hearth: warning: the server will deploy its rules file \(path) again at its next start; change that "
        + "file too")
  }
}
