import HearthTree

extension RESTCall {
  /// Answers from a database's settings after `body` changed them, or only looked. Files are read and written away
  /// from the loop.
  func settings(
    _ body: @escaping @Sendable (inout DatabaseSettings) throws(RESTFailure) -> RESTResponse
  ) {
    guard request.method.isRead else {
      return withDatabase(.byMode) { database in settings(of: database.name, body) }
    }
    withReading { source in
      if case .database(let database) = source { return settings(of: database.name, body) }
      var none = DatabaseSettings()
      do throws(RESTFailure) { completion(try body(&none)) } catch { completion(RESTResponse(error)) }
    }
  }

  private func settings(
    of name: String, _ body: @escaping @Sendable (inout DatabaseSettings) throws(RESTFailure) -> RESTResponse
  ) {
    let services = services
    services.pool.run(on: hub.loop) { () -> RESTResponse in
      do throws(RESTFailure) {
        return try services.settings.change(name, body)
      } catch {
        return RESTResponse(error)
      }
    } completion: { response in
      completion(response ?? RESTResponse(.unavailable))
    }
  }
}
