// Writes dlib's FHOG features of an image. Raw bytes in, 32-bit floats out (row, column, channel).
// Usage: fhog WIDTH HEIGHT CHANNELS CELL [REPEATS] < pixels > features
// With REPEATS, times that many extractions and prints the fastest, in milliseconds, to standard error.
#include <dlib/image_transforms.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

template <typename Pixel>
static int run(long width, long height, int cell, int repeats) {
  dlib::array2d<Pixel> image(height, width);
  if (fread(&image[0][0], sizeof(Pixel), width * height, stdin) != size_t(width * height)) return 1;
  dlib::array2d<dlib::matrix<float, 31, 1>> features;
  double best = 1e30;
  for (int i = 0; i < repeats; i++) {
    auto start = std::chrono::steady_clock::now();
    dlib::extract_fhog_features(image, features, cell);
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  if (repeats > 1) fprintf(stderr, "%.4f\n", best);
  for (long r = 0; r < features.nr(); r++)
    for (long c = 0; c < features.nc(); c++) fwrite(&features[r][c](0), 4, 31, stdout);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  long width = atol(argv[1]), height = atol(argv[2]);
  int channels = atoi(argv[3]), cell = atoi(argv[4]), repeats = argc > 5 ? atoi(argv[5]) : 1;
  return channels == 1 ? run<unsigned char>(width, height, cell, repeats)
                       : run<dlib::rgb_pixel>(width, height, cell, repeats);
}
