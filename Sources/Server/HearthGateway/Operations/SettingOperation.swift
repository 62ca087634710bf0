import HearthEngine
import HearthTree

/// The operations on `/.settings/<name>.json`, for administrators: the settings that Firebase's tools read and write.
struct SettingOperation {
  let call: RESTCall
  let setting: RESTTarget.Setting

  func answer() throws(RESTFailure) {
    let (method, setting) = (call.request.method, setting)
    switch setting {
    case .defaultWriteSizeLimit, .strictTriggerValidation:
      guard method.isRead || method == .put else { throw .methodNotAllowed }
      let change = method == .put ? try Self.change(setting, call.request) : nil
      let registry = call.services.triggers
      let isStrictness = change != nil && setting == .strictTriggerValidation
      call.settings { settings throws(RESTFailure) in
        change?(&settings)
        let value: JSON =
          setting == .defaultWriteSizeLimit
          ? .string(settings.defaultWriteSizeLimit) : .bool(settings.isTriggerValidationStrict)
        return RESTResponse(value)
      } then: { database in
        if isStrictness { registry.review(database) }
      }
    case .functionTriggers:
      guard method.isRead || method == .post || method == .put else { throw .methodNotAllowed }
      let trigger = method.isRead ? nil : try Self.trigger(call.request)
      let registry = call.services.triggers
      call.settings { settings throws(RESTFailure) in
        guard let trigger else { return RESTResponse(.array(settings.functionTriggers)) }
        try settings.register(trigger)
        return .done
      } then: { database throws(RESTFailure) in
        if let trigger { try registry.register(trigger, in: database.name) }
      }
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

  /// Returns the trigger that a functions emulator registers: an object with the function's name.
  private static func trigger(_ request: RESTRequest) throws(RESTFailure) -> JSON {
    guard request.body.readableBytes <= DatabaseSettings.triggerSizeBytesMax,
      let trigger = JSON(parsing: request.body.readableBytesView), case .string? = trigger["name"]
    else { throw RESTFailure(400, "A function trigger must be a JSON object with a name.") }
    return trigger
  }
}
