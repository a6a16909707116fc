import Execution
import Geometry

/// Images with targets, ignored regions and detections, all drawn from a seed. Scores are coarse, so many are equal.
public struct DetectionScenes {
  public var truth: [AnnotatedImage] = []
  public var results: [ImageDetections] = []

  public init(seed: UInt64, imageCount: Int, labels: [String] = ["face", "person"], scoreLevels: Int = 12) {
    var random = RandomStream(seed: seed)
    func box(_ low: Int, _ high: Int) -> Box {
      Box(
        x: Double(random.index(below: 160)), y: Double(random.index(below: 160)),
        width: Double(low + random.index(below: high - low)), height: Double(low + random.index(below: high - low)))
    }
    for number in 0..<imageCount {
      var annotations: [Annotation] = []
      var detections: [Detection] = []
      for _ in 0..<random.index(below: 6) {
        let label = labels[random.index(below: labels.count)]
        let target = box(10, 60)
        annotations.append(Annotation(box: target, label: label))
        for _ in 0..<random.index(below: 4) {
          let moved = Box(
            x: target.x + Double(random.index(below: 13)) - 6, y: target.y + Double(random.index(below: 13)) - 6,
            width: target.width + Double(random.index(below: 9)) - 4,
            height: target.height + Double(random.index(below: 9)) - 4)
          detections.append(
            Detection(box: moved, score: Double(random.index(below: scoreLevels)) / 4 - 1, label: label))
        }
      }
      for _ in 0..<random.index(below: 3) {
        annotations.append(
          Annotation(box: box(40, 120), label: labels[random.index(below: labels.count)], isIgnored: true))
      }
      for _ in 0..<random.index(below: 5) {
        detections.append(
          Detection(
            box: box(8, 80), score: Double(random.index(below: scoreLevels)) / 4 - 2,
            label: labels[random.index(below: labels.count)]))
      }
      let name = "scene/\(number).jpg"
      truth.append(AnnotatedImage(name: name, path: name, annotations: annotations))
      results.append(ImageDetections(image: name, width: 220, height: 220, detections: detections))
    }
  }

  /// The same in another order of images, annotations and detections.
  public func shuffled(seed: UInt64) -> DetectionScenes {
    var random = RandomStream(seed: seed, stream: 77)
    var copy = self
    random.shuffle(&copy.truth)
    random.shuffle(&copy.results)
    for index in copy.truth.indices { random.shuffle(&copy.truth[index].annotations) }
    for index in copy.results.indices { random.shuffle(&copy.results[index].detections) }
    return copy
  }
}
