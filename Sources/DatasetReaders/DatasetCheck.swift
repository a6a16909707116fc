import Execution
import Geometry
import Imaging

/// Opens every image of a data set and tells what is wrong with images and boxes.
///
/// Memory: one decoded image a thread.
public struct DatasetCheck: Sendable {
  public var readOptions: ImageReadOptions

  public init(readOptions: ImageReadOptions = ImageReadOptions()) {
    self.readOptions = readOptions
  }

  /// All problems: those of loading, then those of the images in their order, whatever the number of threads.
  /// - Throws: `CancelledError` alone; what is wrong with an image is a problem.
  public func problems(
    of set: Dataset, executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws -> [DatasetProblem] {
    progress.receive(.began(phase: "checking \(set.name)", total: set.images.count))
    let counter = ProgressCounter(progress)
    let found = try executor.map(set.images.count) { index in
      try cancellation.check()
      let problems = self.problems(of: set, at: index)
      counter.advance()
      return problems
    }
    progress.receive(.ended)
    return set.problems + found.flatMap { $0 }
  }

  private func problems(of set: Dataset, at index: Int) -> [DatasetProblem] {
    let image = set.images[index]
    func problem(_ kind: DatasetProblem.Kind, _ message: String) -> DatasetProblem {
      DatasetProblem(file: image.path, image: image.name, kind: kind, outcome: .kept, message: message)
    }
    do {
      let size: PixelSize
      var problems: [DatasetProblem] = []
      switch set.sources[index] {
      case .file(let path):
        let decoded = try ImageFile.read(path, options: readOptions)
        size = decoded.image.size
        problems = decoded.warnings.map { problem(.doubtfulImage, $0) }
      case .vecSample:
        size = try set.sources[index].read(options: readOptions).size
      }
      return problems + image.fitted(to: size).problems
    } catch let error as InputError {
      var reason = error.problem
      if let found = error.found { reason += ": found \(found)" }
      return [problem(.unreadableImage, "image \(quoted(image.name)) \(reason)")]
    } catch {
      return [problem(.unreadableImage, "image \(quoted(image.name)): \(error)")]
    }
  }
}
