// Images go to memory of exactly the size that the decoder asks for, so that a sanitizer sees what lies beyond.
#include "tests/fuzz/decoder_input.h"

#include "engine/base/errors.h"
#include "kernels/cpu/scalar/image_files.h"
#include "kernels/cpu/scalar/inflate.h"
#include "kernels/cpu/scalar/parse_tensor.h"

#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>

namespace footlight::fuzz {
namespace {

namespace files = image_files;

struct Image {
  std::unique_ptr<uint8_t[]> pixels;
  size_t bytes = 0;

  uint8_t* make(int64_t values, int64_t width_of_one = 1) {
    if (values < 0 || values * width_of_one > files::kMaxBytes) std::abort();  // more than a decoder may ask for
    bytes = static_cast<size_t>(values * width_of_one);
    pixels = std::make_unique<uint8_t[]>(bytes);
    return pixels.get();
  }
  files::Allocate allocate(int64_t width_of_one = 1) {
    return [this, width_of_one](int64_t height, int64_t width, int64_t channels) {
      if (height <= 0 || width <= 0 || channels <= 0 || channels > 4) std::abort();
      return make(height * width * channels, width_of_one);
    };
  }
};

// Every byte counts, so that nothing of it can be left out.
bool is_read(const void* data, size_t bytes) {
  unsigned sum = 1;
  for (size_t i = 0; i < bytes; ++i) sum = sum * 31 + static_cast<const uint8_t*>(data)[i];
  volatile unsigned kept = sum;
  static_cast<void>(kept);
  return true;
}

bool decode(std::string_view form, unsigned options, std::string_view bytes) {
  Image image;
  if (form == "jpeg") {
    files::JpegOptions how;
    constexpr int kChannels[] = {0, 1, 3, 0};
    how.channels = kChannels[options & 3];
    how.ratio = 1 << (options >> 2 & 3);
    how.fancy_upscaling = options & 16;
    how.recover_truncated = options & 32;
    how.accurate = options & 64;
    files::jpeg_shape(bytes);
    files::decode_jpeg(bytes, how, image.allocate());
  } else if (form == "png") {
    constexpr int kChannels[] = {0, 1, 2, 3, 4, 0, 3, 4};
    const bool wide = options & 8;
    files::decode_png(bytes, kChannels[options & 7], wide, image.allocate(wide ? 2 : 1));
  } else if (form == "bmp") {
    constexpr int kChannels[] = {0, 1, 3, 4};
    files::decode_bmp(bytes, kChannels[options & 3], image.allocate());
  } else if (form == "gif") {
    files::decode_gif(bytes, options & 1, [&](int64_t frames, int64_t height, int64_t width) {
      if (frames <= 0 || height <= 0 || width <= 0) std::abort();
      return image.make(frames * height * width * 3);
    });
  } else if (form == "tensor") {
    constexpr DType kTypes[] = {DType::kFloat32, DType::kString, DType::kBool,      DType::kInt64,
                                DType::kFloat16,   DType::kUInt8,  DType::kComplex64, DType::kFloat64};
    const Tensor made = tensor_proto::parse(std::string(bytes), kTypes[options & 7]);
    if (made.dtype() != DType::kString) return is_read(made.raw(), made.bytes());
    for (int64_t i = 0; i < made.elements(); ++i) {
      const std::string& one = made.data<std::string>()[i];
      is_read(one.data(), one.size());
    }
    return true;
  } else {
    const std::string made = inflated(std::string(bytes), form == "gzip");
    return is_read(made.data(), made.size());
  }
  return is_read(image.pixels.get(), image.bytes);
}

}  // namespace

bool decode_input(std::string_view input) {
  if (input.size() < 2) return false;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(input[i]); };
  try {
    return decode(kDecoderForms[byte(0) % std::size(kDecoderForms)], byte(1), input.substr(2));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace footlight::fuzz
