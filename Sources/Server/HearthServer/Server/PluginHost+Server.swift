import HearthAccounts
import HearthPluginHost
import Logging

extension PluginHost {
  /// Returns the host of the data folder's plugins, which are not started yet.
  static func ofServer(
    _ options: HearthServer.Options, _ accounts: OpenedAccounts, _ receivers: EventReceivers
  ) -> PluginHost {
    let (logger, own) = (options.logger, accounts.accounts.own)
    return PluginHost(
      dataDirectory: options.dataDirectory,
      .init(
        server: "hearth", ownProviderIDs: Set(options.plugins.providers.map(\.manifest.id)),
        apply: { further in
          own.setFurtherPlugins(further)
          receivers.set(further.receivers)
        },
        revoke: { own.sessions.foreignTokens.revoke($1, of: $0) },
        log: { isWarning, plugin, text in
          logger.log(level: isWarning ? .warning : .info, "plugin \(plugin): \(text)")
        }))
  }
}
