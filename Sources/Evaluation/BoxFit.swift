import Execution
import Foundation
import Geometry

/// One offset and one scale that carry a detector's boxes to the truth's.
///
/// Detectors and data sets mean different things by "the box of a face": eyebrows to chin, or the whole head. Scored as
/// they are, a detector is judged by its habit of framing; so a protocol may allow one fitted offset and scale a detector,
/// the same for every box. The fit reads the truth of the set it is scored on: three or four numbers from hundreds of
/// boxes, yet a fit, and reports show the raw figure beside the fitted one.
public struct BoxFit: Hashable, Codable, Sendable {
  /// Shift of the centre in units of the detection's width and height.
  public var offsetX: Double
  public var offsetY: Double
  /// Factors of width and height; equal unless the aspect was fitted too.
  public var scaleX: Double
  public var scaleY: Double
  /// Pairs of detection and truth that the fit rests on.
  public var pairCount: Int

  public static let identity = BoxFit(offsetX: 0, offsetY: 0, scaleX: 1, scaleY: 1, pairCount: 0)

  public init(offsetX: Double, offsetY: Double, scaleX: Double, scaleY: Double, pairCount: Int = 0) {
    self.offsetX = offsetX
    self.offsetY = offsetY
    self.scaleX = scaleX
    self.scaleY = scaleY
    self.pairCount = pairCount
  }

  public func apply(_ box: Box) -> Box {
    let center = Point(x: box.center.x + offsetX * box.width, y: box.center.y + offsetY * box.height)
    return Box(center: center, width: box.width * scaleX, height: box.height * scaleY)
  }

  public func apply(_ results: [ImageDetections]) -> [ImageDetections] {
    results.map { image in
      var image = image
      for index in image.detections.indices { image.detections[index].box = apply(image.detections[index].box) }
      return image
    }
  }

  /// How a fit is made.
  public struct Options: Hashable, Codable, Sendable {
    /// Overlap from which a detection and a truth make a pair. Loose, since the boxes do not agree yet.
    public var overlapThreshold: Double
    /// Whether width and height get factors of their own.
    public var fitsAspect: Bool
    /// Rounds of pairing and fitting at most.
    public var roundLimit: Int

    public init(overlapThreshold: Double = 0.25, fitsAspect: Bool = false, roundLimit: Int = 20) {
      precondition(overlapThreshold > 0 && overlapThreshold <= 1)
      precondition(roundLimit >= 1)
      self.overlapThreshold = overlapThreshold
      self.fitsAspect = fitsAspect
      self.roundLimit = roundLimit
    }
  }

  /// Fits the offset and scale by medians over matched pairs, pairing anew under each fit until it stands still.
  ///
  /// Medians, since some pairs are chance meetings. The scale is the median of the logarithm of the ratio of sides
  /// (geometric mean of both sides, or each by itself where the aspect is fitted).
  ///
  /// - Parameter matcher: its options other than the overlap threshold hold.
  /// - Returns: `nil` where no detection meets a truth at the loose overlap.
  /// - Throws: as `Matcher.match`.
  public static func fit(
    results: [ImageDetections], source: String = "results", truth: [AnnotatedImage], matcher: Matcher,
    options: Options = Options(), executor: ParallelExecutor = .init()
  ) throws -> BoxFit? {
    var matcher = matcher
    matcher.options.overlapThreshold = options.overlapThreshold
    var fit = BoxFit.identity
    for _ in 0..<options.roundLimit {
      let matching = try matcher.match(
        results: fit == .identity ? results : fit.apply(results), source: source, truth: truth, executor: executor)
      guard let next = BoxFit(from: matching, under: fit, fitsAspect: options.fitsAspect) else { return nil }
      let moved = max(
        abs(next.offsetX - fit.offsetX), abs(next.offsetY - fit.offsetY), abs(next.scaleX - fit.scaleX),
        abs(next.scaleY - fit.scaleY))
      fit = next
      if moved < 1e-6 { break }
    }
    return fit
  }

  /// Medians over the right detections of a matching whose boxes went through `fit`.
  private init?(from matching: Matching, under fit: BoxFit, fitsAspect: Bool) {
    var (dx, dy, sx, sy): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for matched in matching.detections {
      guard let truthIndex = matched.truth else { continue }
      let fitted = matching.results[matched.image].detections[matched.detection].box
      let truth = matching.images[matched.image].annotations[truthIndex].box
      // The detector's own size and centre, from before the fit.
      let (width, height) = (fitted.width / fit.scaleX, fitted.height / fit.scaleY)
      let (x, y) = (fitted.center.x - fit.offsetX * width, fitted.center.y - fit.offsetY * height)
      dx.append((truth.center.x - x) / width)
      dy.append((truth.center.y - y) / height)
      let (w, h) = (log(truth.width / width), log(truth.height / height))
      sx.append(fitsAspect ? w : (w + h) / 2)
      sy.append(fitsAspect ? h : (w + h) / 2)
    }
    guard !dx.isEmpty else { return nil }
    self.init(
      offsetX: median(dx), offsetY: median(dy), scaleX: exp(median(sx)), scaleY: exp(median(sy)), pairCount: dx.count)
  }
}

private func median(_ values: [Double]) -> Double {
  Bootstrap.quantile(values.sorted(), 0.5)
}
