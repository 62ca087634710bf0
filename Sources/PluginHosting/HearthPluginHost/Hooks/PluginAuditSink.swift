import HearthPlugin
import HearthTree

/// A plugin's process that takes the records of the audit trail.
struct PluginAuditSink: AuditSink {
  let handle: PluginHandle

  var name: String { handle.name }

  func record(_ entry: AuditEntry) async throws {
    do {
      let _: JSON = try await handle.ask(.audit, entry)
    } catch let error as PluginCallError {
      // What the plugin itself says may hold what it was told, and is in its own log.
      throw AuditSinkError("plugin \(error.plugin) did not take it", isTemporary: error.isTemporary)
    }
  }
}
