import HearthTransport

extension GatewayServices {
  /// Returns the origin of a request, as far as it can be trusted.
  package func origin(of request: HTTPRequest) -> RequestOrigin { proxies.origin(of: request, or: emulatorClients) }
}
