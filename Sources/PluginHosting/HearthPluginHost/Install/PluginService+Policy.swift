import HearthOutbound

extension PluginService {
  /// Returns the policy for requests to the service.
  ///
  /// - Parameters:
  ///   - allowsPrivate: true when the operator allows a private address, and requests without TLS.
  ///   - files: the folder with the plugin's files.
  /// - Throws: ``PluginProblem`` for a forbidden URL.
  func policy(allowsPrivate: Bool, files: String) throws(PluginProblem) -> OutboundPolicy {
    do throws(OutboundError) {
      return try OutboundPolicy.forReceiver(
        at: url, allowsPrivate: allowsPrivate, authorityFile: authority.map { files + $0.dropFirst() })
    } catch {
      throw PluginProblem("plugin.json.url: \(error.message)")
    }
  }
}
