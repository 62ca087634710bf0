import HearthEngine
import HearthTransport
import NIOCore

/// The form of an event's bytes for a client. Clients with the same form get the same bytes.
enum DeliveryForm: Hashable {
  /// The frames for a socket.
  case frames
  /// The frames for a socket whose client accepts no large ones.
  case segments
  case stream(StreamForm)
}

extension SharedEvent {
  /// Returns the event for clients of that form; nil when it changes nothing for them. Not for large events.
  func bytes(in form: DeliveryForm, tag: Int32?) -> ByteBuffer? {
    switch form {
    case .frames: return message(tag: tag).frame
    case .segments: return message(tag: tag).segmentedFrames()
    case .stream(let form):
      guard case .text(let text, _)? = streamTexts.text(form), text.readableBytes > 0 else { return nil }
      return text
    }
  }
}

/// The delivery of one event to a loop's clients, encoded once for each form and tag.
struct EventDelivery {
  private struct Name: Hashable {
    var form: Int32
    var tag: Int32?
  }

  private let event: SharedEvent
  private let outlets: OutletTable
  private let forms: [DeliveryForm]
  /// The form and tag of the last client, which most of the next have too.
  private var name = Name(form: 0, tag: nil)
  private var step = OutletStep(ByteBuffer())
  /// True when the event changes nothing in this form.
  private var isSilent = true
  private var others: [Name: (step: OutletStep, isSilent: Bool)] = [:]

  /// The maximum number of cached other forms and tags. Clients that show the same page use the same few.
  private static let othersMax = 8

  /// - Parameter forms: the forms in the order of their numbers, which count from 1.
  init(_ event: SharedEvent, over outlets: OutletTable, forms: [DeliveryForm]) {
    self.event = event
    self.outlets = outlets
    self.forms = forms
  }

  /// Queues the event for a client with a form.
  @inline(__always)
  mutating func stage(_ row: ClientTable.Row, tag: Int32?) {
    if row.form != name.form || tag != name.tag { change(to: Name(form: row.form, tag: tag)) }
    if !isSilent { outlets.stage(row.outlet, &step) }
  }

  private mutating func change(to next: Name) {
    if name.form != 0, others.count < Self.othersMax || others[name] != nil { others[name] = (step, isSilent) }
    name = next
    if let known = others[next] {
      (step, isSilent) = known
    } else {
      let bytes = event.bytes(in: forms[Int(next.form) - 1], tag: next.tag)
      (step, isSilent) = (OutletStep(bytes ?? ByteBuffer()), bytes == nil)
    }
  }
}
