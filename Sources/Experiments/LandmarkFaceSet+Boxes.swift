import DatasetReaders
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
      self = .results(LandmarkFaceSet.ResultBoxes(source: path, file.images))
    case (nil, let name?):
      let found = try ModelCatalog.detector(name)
      self = .detector(name) { found.detect(in: $0, options: found.scanOptions, executor: .serial) }
    case (_?, _?):
      throw InputError(source: "boxes", problem: "come from one place", found: "a results file and a detector")
    }
  }

  /// What messages call their source; `nil` for the data set's own.
  var source: String? {
    switch self {
    case .annotated: nil
    case .results(let results): results.source
    case .detector(let name, _): name
    }
  }
}

extension LandmarkFaceSet {
  /// The lines of a results file, and which of them is about which image of a set.
  public struct ResultBoxes: Sendable {
    /// The file, for messages.
    public let source: String
    private let lines: [String: ImageDetections]

    /// - Parameter images: lines with different names; of equal ones the first counts.
    public init(source: String, _ images: [ImageDetections]) {
      self.source = source
      lines = Dictionary(images.map { ($0.image, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The line of each image of a set, `nil` where there is none.
    ///
    /// An image is known by its name in the set, by the name that it had before sets were joined, or by its path. So sets
    /// that are joined, or one that is given several times, find the lines that each of them finds alone.
    /// - Throws: `InputError` where one line is about several pictures, and where no line is about any.
    func lines(of dataset: Dataset) throws -> [ImageDetections?] {
      var owners: [String: Int] = [:]
      let found = try dataset.images.indices.map { index -> ImageDetections? in
        let image = dataset.images[index]
        if let line = lines[image.name] { return line }
        for name in [image.ownName, image.path] {
          guard let line = lines[name] else { continue }
          let owner = owners[name, default: index]
          owners[name] = owner
          guard dataset.sources[owner] == dataset.sources[index] else {
            throw InputError(
              source: source, field: "image", problem: "a name fits pictures of two sets", found: "\"\(name)\"",
              expected: "\"\(dataset.images[owner].name)\" or \"\(image.name)\"",
              hint: "measure the sets one at a time, or name the images so")
          }
          return line
        }
        return nil
      }
      guard found.contains(where: { $0 != nil }) else {
        throw InputError(
          source: source, field: "image", problem: "no line is about an image of \(dataset.name)",
          found: lines.keys.min().map { "names such as \"\($0)\"" },
          expected: "names such as \"\(dataset.images[0].ownName)\"")
      }
      return found
    }
  }

  /// Boxes of the detector's on the annotated ones, which of them were looked for in vain, and how they lie.
  struct BoxMatches {
    /// For each image and annotation the box.
    var boxes: [[Box?]]
    var spread: BoxSpread
  }

  /// Finds each annotation's box among those of a detector.
  ///
  /// Detectors of one kind of object draw it by different rules, so a box is looked for where the detector's usually lie:
  /// first the medians of shift and scale are taken from boxes that overlap annotated ones by 0.1 and more, then a box must
  /// overlap the annotated one, moved and scaled so, by more than 0.3. Of several the one of the largest overlap is taken.
  /// - Returns: `nil` where no box lies on any face.
  static func matches(_ found: [[Detection]], _ annotations: [[Annotation]]) -> BoxMatches? {
    func boxes(_ least: Double, _ expected: (Box) -> Box) -> [[Box?]] {
      zip(found, annotations).map { detections, list in
        list.map { annotation in
          let place = expected(annotation.box)
          var best: Box?
          var overlap = least
          for detection in detections {
            let share = detection.box.intersectionOverUnion(place)
            if share > overlap { (overlap, best) = (share, detection.box) }
          }
          return best
        }
      }
    }
    guard let rough = boxSpread(annotations, boxes(0.1) { $0 }) else { return nil }
    let matched = boxes(0.3) { rough.usual(for: $0) }
    return boxSpread(annotations, matched).map { BoxMatches(boxes: matched, spread: $0) }
  }
}
