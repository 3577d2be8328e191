// Decodes image files of several kinds, and encodes them. The bytes come from anywhere: every size is checked before
// memory is taken for it, and what is wrong with a file is an InvalidArgument.
#pragma once

#include "engine/base/text.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace footlight::image_files {

inline constexpr int64_t kMaxBytes = int64_t{1} << 29;  // largest size of an image

// Allocates the memory for an image; called at most once, before the first pixel.
using Allocate = std::function<uint8_t*(int64_t height, int64_t width, int64_t channels)>;

struct JpegOptions {
  int channels = 0;  // 0: as in the file
  int ratio = 1;     // factor by which it is made smaller
  bool fancy_upscaling = true;
  bool recover_truncated = false;
  bool accurate = false;  // TensorFlow's default is the fast transform
};
void decode_jpeg(std::string_view bytes, const JpegOptions&, const Allocate&);
struct JpegShape {
  int64_t height, width, channels;
};
JpegShape jpeg_shape(std::string_view bytes);

struct JpegEncoding {
  int quality = 95;
  bool progressive = false, optimize = false, chroma_downsampling = true;
  bool per_centimetre = false;
  int x_density = 300, y_density = 300;
  std::string xmp;
};
std::string encode_jpeg(const uint8_t* pixels, int64_t height, int64_t width, int64_t channels, const JpegEncoding&);

// Channels of 8 bits, or of 16 (in this machine's order, so that the memory holds twice as many bytes).
void decode_png(std::string_view bytes, int channels, bool wide, const Allocate&);
void decode_bmp(std::string_view bytes, int channels, const Allocate&);
// All frames, one behind the other; `frames` alone gives memory for [frames, height, width, 3].
void decode_gif(std::string_view bytes, bool first_alone,
                const std::function<uint8_t*(int64_t frames, int64_t height, int64_t width)>&);

inline bool is_jpeg(std::string_view bytes) { return bytes.substr(0, 3) == "\xff\xd8\xff"; }
inline bool is_png(std::string_view bytes) { return bytes.substr(0, 4) == "\x89PNG"; }
inline bool is_gif(std::string_view bytes) { return bytes.substr(0, 4) == "GIF8"; }
inline bool is_bmp(std::string_view bytes) { return bytes.substr(0, 2) == "BM"; }

}  // namespace footlight::image_files
