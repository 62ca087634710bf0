import HearthEngine
import HearthTree

/// `/.settings/…`, for administrators: what tools set, and what they look at before they work.
extension RESTHandler {
  func settings(_ setting: RESTTarget.Setting, _ context: Context) throws(RESTFailure) {
    guard context.caller.principal.isAdministrator else { throw .unauthorized }
    let method = context.request.method
    switch setting {
    case .rulesetLabels: try rulesetLabels(context)
    case .defaultWriteSizeLimit, .strictTriggerValidation:
      guard method.isRead || method == .put else { throw .methodNotAllowed }
      let change = method == .put ? try Self.change(setting, context.request) : nil
      self.settings(context) { settings throws(RESTFailure) in
        change?(&settings)
        let value: JSON =
          setting == .defaultWriteSizeLimit
          ? .string(settings.defaultWriteSizeLimit) : .bool(settings.isTriggerValidationStrict)
        return RESTResponse(value)
      }
    case .functionTriggers:
      guard method.isRead || method == .post || method == .put else { throw .methodNotAllowed }
      let trigger = method.isRead ? nil : try Self.trigger(context.request)
      self.settings(context) { settings throws(RESTFailure) in
        guard let trigger else { return RESTResponse(.array(settings.functionTriggers)) }
        try settings.register(trigger)
        return .done
      }
    }
  }

  /// Answers from a database's settings after `body` changed them, or only looked. Files are read and written away
  /// from the loop.
  func settings(
    _ context: Context, _ body: @escaping @Sendable (inout DatabaseSettings) throws(RESTFailure) -> RESTResponse
  ) {
    guard context.request.method.isRead else {
      return withDatabase(context, .byMode) { database in settings(of: database.name, context, body) }
    }
    withReading(context) { source in
      if case .database(let database) = source { return settings(of: database.name, context, body) }
      var none = DatabaseSettings()
      do throws(RESTFailure) { context.completion(try body(&none)) } catch { context.completion(RESTResponse(error)) }
    }
  }

  private func settings(
    of name: String, _ context: Context,
    _ body: @escaping @Sendable (inout DatabaseSettings) throws(RESTFailure) -> RESTResponse
  ) {
    let services = services
    services.pool.run(on: hub.loop) { () -> RESTResponse in
      do throws(RESTFailure) {
        return try services.settings.change(name, body)
      } catch {
        return RESTResponse(error)
      }
    } completion: { response in
      context.completion(response ?? RESTResponse(.unavailable))
    }
  }

  private static func change(
    _ setting: RESTTarget.Setting, _ request: RESTRequest
  ) throws(RESTFailure) -> @Sendable (inout DatabaseSettings) -> Void {
    let value = JSON(parsing: request.body.readableBytesView)
    switch (setting, value) {
    case (.defaultWriteSizeLimit, .string(let size)?) where WriteSizeLimit.defaults.contains(size):
      return { $0.defaultWriteSizeLimit = size }
    case (.defaultWriteSizeLimit, _):
      throw RESTFailure(400, "defaultWriteSizeLimit must be one of small, medium, large and unlimited")
    case (_, .bool(let isStrict)?): return { $0.isTriggerValidationStrict = isStrict }
    default: throw RESTFailure(400, "\(setting.rawValue) must be true or false")
    }
  }

  /// What an emulator of functions registers: an object with the function's name.
  private static func trigger(_ request: RESTRequest) throws(RESTFailure) -> JSON {
    guard request.body.readableBytes <= DatabaseSettings.triggerSizeBytesMax,
      let trigger = JSON(parsing: request.body.readableBytesView), case .string? = trigger["name"]
    else { throw RESTFailure(400, "A function trigger is a JSON object with a name.") }
    return trigger
  }
}
