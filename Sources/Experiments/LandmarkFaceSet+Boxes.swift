import Detection
import Evaluation
import Execution
import Geometry

extension LandmarkFaceSet.Boxes {
  /// Boxes from a results file, from a detector (a name of the catalogue or a model file), or the data set's own.
  /// - Throws: `InputError` where both are given or one cannot be read.
  public init(results: String?, detector: String?, executor: ParallelExecutor) throws {
    switch (results, detector) {
    case (nil, nil): self = .annotated
    case (let path?, nil):
      let file = try ResultsFile.read(path, executor: executor)
      self = .results(
        Dictionary(file.images.map { ($0.image, $0.detections) }, uniquingKeysWith: { first, _ in first }))
    case (nil, let name?):
      let found = try ModelCatalog.detector(name)
      self = .detector { found.detect(in: $0, options: found.scanOptions, executor: .serial) }
    case (_?, _?):
      throw InputError(source: "boxes", problem: "come from one place", found: "a results file and a detector")
    }
  }
}
