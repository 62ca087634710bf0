import HearthDatabase
import HearthTree

extension PageFigures {
  /// The figures as members of a response.
  package var json: JSON {
    [
      "memoryBytes": .int(Int64(residentBytes)), "dirtyBytes": .int(Int64(dirtyBytes)),
      "reads": .int(Int64(loadCount)), "failedReads": .int(Int64(failedLoadCount)), "fileBytes": .int(Int64(fileBytes)),
      "checkpointBytes": .int(Int64(checkpointBytes)), "checkpointMilliseconds": .int(checkpointMilliseconds),
      "historyBytes": .int(Int64(historyBytes)), "deadBytes": .int(Int64(deadBytes)),
      "cleanedBytes": .int(Int64(cleanedBytes)),
      "isCleaning": .bool(isCleaning), "cleaningProblem": cleaningProblem.map { .string($0) } ?? .null,
    ]
  }
}
