import HearthTransport

extension GatewayServices {
  /// The client that sent a request, as far as it can be believed.
  package func origin(of request: HTTPRequest) -> RequestOrigin { proxies.origin(of: request, or: emulatorClients) }
}
