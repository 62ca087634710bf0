import HearthTransport

extension GatewayServices {
  /// Who sent the request, and whether for themselves.
  package func origin(of request: HTTPRequest) -> RequestOrigin { proxies.origin(of: request, or: emulatorClients) }
}
