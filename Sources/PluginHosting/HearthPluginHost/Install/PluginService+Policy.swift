import HearthOutbound

extension PluginService {
  /// Returns the place where requests to it may go.
  ///
  /// - Parameters:
  ///   - allowsPrivate: the operator's word that it may be at a private address, and be reached without TLS.
  ///   - files: the folder with the plugin's files.
  /// - Throws: ``PluginProblem`` for a URL that is never asked.
  func policy(allowsPrivate: Bool, files: String) throws(PluginProblem) -> OutboundPolicy {
    do throws(OutboundError) {
      return try OutboundPolicy.receiving(
        at: url, allowsPrivate: allowsPrivate, authorityFile: authority.map { files + $0.dropFirst() })
    } catch {
      throw PluginProblem("plugin.json.url: \(error.message)")
    }
  }
}
