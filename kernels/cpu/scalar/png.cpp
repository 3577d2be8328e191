// PNG files, by libpng, whose errors jump out of it: between the jump and its target nothing may have a destructor.
#include "engine/base/claimed_size.h"
#include "kernels/cpu/scalar/image_files.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include <png.h>

namespace footlight::image_files {
namespace {

struct Source {
  const char* at;
  size_t left;
  char message[256];
};

void give_up(png_structp png, png_const_charp message) {
  std::snprintf(static_cast<Source*>(png_get_error_ptr(png))->message, sizeof(Source::message), "%s", message);
  png_longjmp(png, 1);
}
void ignore_message(png_structp, png_const_charp) {}
void read_some(png_structp png, png_bytep to, size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (count > source->left) png_error(png, "the file ends too early");
  std::memcpy(to, source->at, count);
  source->at += count;
  source->left -= count;
}

class PngReader {
 public:
  explicit PngReader(std::string_view bytes) : source_{bytes.data(), bytes.size(), {}} {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, give_up, ignore_message);
    if (png_) info_ = png_create_info_struct(png_);
    if (!info_) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      fail(ErrorKind::kResourceExhausted, "no memory for a PNG file [Op:DecodePng]");
    }
    png_set_read_fn(png_, &source_, read_some);
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  png_structp png() { return png_; }
  png_infop info() { return info_; }
  template <class Step>
  void run(const Step& step) {
    if (!attempt(step)) invalid("Invalid PNG data: ", source_.message, " [Op:DecodePng]");
  }

 private:
  template <class Step>
  bool attempt(const Step& step) {
    if (setjmp(png_jmpbuf(png_))) return false;
    step();
    return true;
  }
  Source source_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

void decode_png(std::string_view bytes, int channels, bool wide, const Allocate& allocate) {
  PngReader reading(bytes);
  const png_structp png = reading.png();
  const png_infop info = reading.info();
  png_set_user_limits(png, 1 << 24, 1 << 24);
  reading.run([&] { png_read_info(png, info); });
  const int64_t height = png_get_image_height(png, info), width = png_get_image_width(png, info);
  const int kind = png_get_color_type(png, info), bits = png_get_bit_depth(png, info);
  const bool transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0, palette = kind == PNG_COLOR_TYPE_PALETTE;
  if (channels == 0) channels = palette ? (transparent ? 4 : 3) : png_get_channels(png, info);
  const bool want_alpha = channels % 2 == 0, has_alpha = (kind & PNG_COLOR_MASK_ALPHA) != 0 || transparent;
  const bool want_colour = channels > 2, has_colour = (kind & PNG_COLOR_MASK_COLOR) != 0;
  const int64_t bytes_each = channels * (wide ? 2 : 1);
  if (height <= 0 || width <= 0 || height * width * bytes_each >= kMaxBytes)
    invalid("PNG size too large for int: ", height, " by ", width, " [Op:DecodePng]");
  // Few bits of the file may become many channels of whole bytes.
  const auto taken = static_cast<uint64_t>(height * width * bytes_each);
  const auto line_bits = static_cast<uint64_t>(width * png_get_channels(png, info) * bits);
  const uint64_t packed = (line_bits + 7) / 8 * static_cast<uint64_t>(height);
  check_claimed_size(ErrorKind::kInvalidArgument, "Invalid PNG data: the image", taken, bytes.size(),
                     kMaxDeflateRatio * (taken / packed + 1));
  bool synthesize = wide && bits < 16;
  reading.run([&] {
    if (palette) png_set_palette_to_rgb(png);
    if (kind == PNG_COLOR_TYPE_GRAY && bits < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (transparent && want_alpha) png_set_tRNS_to_alpha(png);
    if (has_alpha && !want_alpha) png_set_strip_alpha(png);
    if (!has_alpha && want_alpha) png_set_add_alpha(png, (1u << bits) - 1, PNG_FILLER_AFTER);
    if (has_colour && !want_colour) png_set_rgb_to_gray(png, 1, 0.299, 0.587);
    if (!has_colour && want_colour) png_set_gray_to_rgb(png);
    if (bits == 16 && !wide) png_set_strip_16(png);
    if (bits == 16 && wide) png_set_swap(png);  // files have the high byte first
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
  });
  const int64_t given = static_cast<int64_t>(png_get_rowbytes(png, info));
  const int64_t line = width * channels * (wide && !synthesize ? 2 : 1);
  if (given != line) invalid("Invalid PNG data: rows of ", given, " bytes instead of ", line, " [Op:DecodePng]");
  uint8_t* const pixels = allocate(height, width, channels);
  std::vector<uint8_t> narrow(static_cast<size_t>(synthesize ? height * line : 0));
  uint8_t* const target = synthesize ? narrow.data() : pixels;
  std::vector<png_bytep> rows(static_cast<size_t>(height));
  for (int64_t y = 0; y < height; ++y) rows[static_cast<size_t>(y)] = target + y * line;
  reading.run([&] {
    png_read_image(png, rows.data());
    png_read_end(png, nullptr);
  });
  if (synthesize)
    for (size_t i = 0; i < narrow.size(); ++i) pixels[2 * i] = pixels[2 * i + 1] = narrow[i];
}

}  // namespace footlight::image_files
