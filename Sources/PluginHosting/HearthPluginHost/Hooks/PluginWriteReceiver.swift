import HearthPlugin
import HearthTree

/// A receiver of write events in a plugin's process.
struct PluginWriteReceiver: WriteReceiver {
  let handle: PluginHandle

  var name: String { handle.name }

  func take(_ event: WriteEvent) async throws {
    do {
      let _: JSON = try await handle.ask(.onWrite, event)
    } catch let error as PluginCallError {
      throw error.receiverFailure
    }
  }
}

extension PluginCallError {
  /// The failure for the trigger's queue. The plugin's own message may hold written values, and stays in its own log.
  fileprivate var receiverFailure: WriteReceiverFailure {
    switch (kind, isTemporary) {
    case (.late, _): .unknown("plugin \(plugin) did not answer in time")
    case (_, true): .notRun("plugin \(plugin) is not available")
    case (_, false): .failed("plugin \(plugin) failed")
    }
  }
}
