import Execution
import Geometry
import Imaging
import Testing

@Suite("Pyramids")
struct PyramidTests {
  private let window = PixelSize(width: 64, height: 128)

  @Test("Levels at 1.05 are those of OpenCV's HOG detector: sizes by cvRound until the window no longer fits")
  func openCVStep() {
    let scales = PyramidScales(imageSize: PixelSize(width: 640, height: 480), windowSize: window, step: 1.05)
    // log(480 / 128) / log(1.05) = 27.09, so the levels 0 to 27 fit.
    #expect(scales.levels.count == 28)
    #expect(scales.levels[0].size == PixelSize(width: 640, height: 480))
    #expect(scales.levels[1].size == PixelSize(width: 610, height: 457))
    #expect(scales.levels[27].size == PixelSize(width: 171, height: 129))
    // 10 / 4 = 2.5 rounds to the even 2, 14 / 4 = 3.5 to 4.
    let level = PyramidScales.Level(scale: 0.25, imageSize: PixelSize(width: 10, height: 14))
    #expect(level.size == PixelSize(width: 2, height: 4))
  }

  @Test("Scales an octave: each octave halves exactly")
  func octaves() {
    let scales = PyramidScales(
      imageSize: PixelSize(width: 1024, height: 1024), windowSize: PixelSize(width: 16, height: 16), scalesPerOctave: 3)
    #expect(scales.levels.count == 19)
    for k in 0...6 { #expect(scales.levels[3 * k].size.width == 1024 >> k) }
  }

  @Test("Up-sampling begins above 1, and smallest and largest object cut the list")
  func limits() {
    let image = PixelSize(width: 200, height: 160)
    let small = PixelSize(width: 20, height: 20)
    let all = PyramidScales(imageSize: image, windowSize: small, scalesPerOctave: 4, upsamplingOctaves: 1)
    #expect(all.levels[0].size == PixelSize(width: 400, height: 320))
    let cut = PyramidScales(
      imageSize: image, windowSize: small, scalesPerOctave: 4, smallestObject: PixelSize(width: 20, height: 20),
      largestObject: PixelSize(width: 40, height: 40), upsamplingOctaves: 1)
    // Scales 1 to 1/2 in quarters of an octave: both ends belong.
    #expect(cut.levels.map(\.scale).count == 5)
    #expect(cut.levels.first?.scale == 1)
    #expect(abs((cut.levels.last?.scale ?? 0) - 0.5) < 1e-12)
    #expect(Array(all.levels[4...8]) == cut.levels)
  }

  @Test("No level where the image is smaller than the window; padding can make room")
  func tooSmall() {
    let image = PixelSize(width: 60, height: 130)
    #expect(PyramidScales(imageSize: image, windowSize: window, step: 1.1).levels.isEmpty)
    let padded = PyramidScales(
      imageSize: image, windowSize: window, step: 1.1, padding: PixelSize(width: 2, height: 0))
    #expect(padded.levels.count == 1)
    let wide = PyramidScales(
      imageSize: image, windowSize: window, step: 1.1, padding: PixelSize(width: 64, height: 128))
    #expect(wide.levels.last?.size.width ?? 0 >= 1 && wide.levels.count < 60)
    #expect(PyramidScales(imageSize: PixelSize(width: 0, height: 9), windowSize: window, step: 2).levels.isEmpty)
    #expect(PyramidScales(imageSize: PixelSize(width: 1, height: 1), windowSize: window, step: 2).levels.isEmpty)
  }

  @Test("Boxes map to a level and back exactly, and the level's border is the image's")
  func boxes() {
    let scales = PyramidScales(imageSize: PixelSize(width: 613, height: 377), windowSize: window, step: 1.07)
    for level in scales.levels {
      let whole = level.toImage(Box(level.size))
      #expect(abs(whole.width - 613) < 1e-9 && abs(whole.height - 377) < 1e-9)
      let box = Box(x: 12.5, y: -3, width: 40, height: 55.25)
      let back = level.toImage(level.fromImage(box))
      #expect(abs(back.x - box.x) < 1e-9 && abs(back.height - box.height) < 1e-9)
      #expect(abs(level.scaleX / level.scale - 1) < 0.01)
    }
  }

  @Test("The images have the sizes of the levels; a level of the image's size is the image")
  func images() {
    var random = RandomStream(seed: 5)
    let image = randomImage(width: 90, height: 140, channelCount: 3, using: &random)
    let scales = PyramidScales(imageSize: image.size, windowSize: PixelSize(width: 30, height: 30), scalesPerOctave: 4)
    let pyramid = ImagePyramid(image, scales: scales)
    #expect(pyramid.count == 7)
    #expect(pyramid.level(0) == image)
    for k in 0..<pyramid.count { #expect(pyramid.level(k).size == scales.levels[k].size) }
  }
}
