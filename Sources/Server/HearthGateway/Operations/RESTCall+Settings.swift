import HearthDatabase
import HearthTree

extension RESTCall {
  /// Responds with the result of `body`, which changes or reads a database's settings. Files are read and written away
  /// from the loop.
  ///
  /// - Parameter then: called once a change is durable.
  func settings(
    _ body: @escaping @Sendable (inout DatabaseSettings) throws(RESTFailure) -> RESTResponse,
    then: @escaping @Sendable (Database) throws(RESTFailure) -> Void = { _ in }
  ) {
    guard request.method.isRead else {
      return withDatabase(.byMode) { database in settings(of: database, body, then) }
    }
    withReading { source in
      if case .database(let database) = source { return settings(of: database, body) { _ in } }
      var none = DatabaseSettings()
      do throws(RESTFailure) { completion(try body(&none)) } catch { completion(RESTResponse(error)) }
    }
  }

  private func settings(
    of database: Database,
    _ body: @escaping @Sendable (inout DatabaseSettings) throws(RESTFailure) -> RESTResponse,
    _ then: @escaping @Sendable (Database) throws(RESTFailure) -> Void
  ) {
    let services = services
    services.pool.run(on: hub.loop) { () -> RESTResponse in
      do throws(RESTFailure) {
        let response = try services.settings.change(database.name, body)
        try then(database)
        return response
      } catch {
        return RESTResponse(error)
      }
    } completion: { response in
      completion(response ?? RESTResponse(.unavailable))
    }
  }
}
