import Foundation
import HearthClient

/// A chat for the command line: `chat NAME [URL]`. Each typed line goes to all members of the room.
@main
struct Chat {
  struct Message: Codable, Sendable {
    var name: String
    var text: String
    @ServerTimestamp var sent: Date?
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      print("usage: chat NAME [URL]")
      return
    }
    let url = arguments.count > 2 ? arguments[2] : "http://127.0.0.1:9000/?ns=default"
    let room = Database.database(url: url).reference(withPath: "chat")

    let reader = Task {
      do {
        for try await event in room.queryLimited(toLast: 20).events(of: [.childAdded]) {
          let message = try event.snapshot.data(as: Message.self)
          print("\(message.name): \(message.text)")
        }
      } catch {
        print("the chat is over: \(error.localizedDescription)")
      }
    }
    for await line in lines {
      try await room.childByAutoId().setValue(from: Message(name: arguments[1], text: line, sent: nil))
    }
    reader.cancel()
  }

  /// The typed lines, up to an empty one. They are read on a separate thread, because `readLine` blocks its thread,
  /// which other tasks may need.
  static var lines: AsyncStream<String> {
    AsyncStream { lines in
      Thread.detachNewThread {
        while let line = readLine(), !line.isEmpty { lines.yield(line) }
        lines.finish()
      }
    }
  }
}
