import HearthPlugin
import HearthTree

/// An audit sink in a plugin's process.
struct PluginAuditSink: AuditSink {
  let handle: PluginHandle

  var name: String { handle.name }

  func record(_ entry: AuditEntry) async throws {
    do {
      let _: JSON = try await handle.ask(.audit, entry)
    } catch let error as PluginCallError {
      // The plugin's own message may hold parts of the record, and stays in its own log.
      throw AuditSinkError("plugin \(error.plugin) refused the record", isTemporary: error.isTemporary)
    }
  }
}
