// BMP and GIF files. GIF is read by hand: giflib 5.2 takes memory for an image before it reads it, 2.1 GB for a file of
// 34 bytes.
#include "kernels/cpu/scalar/image_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <vector>

namespace footlight::image_files {
namespace {

// Reads little-endian numbers, and checks that the bytes are there.
class Bytes {
 public:
  Bytes(std::string_view bytes, const char* kind) : bytes_(bytes), kind_(kind) {}
  uint8_t byte() {
    if (at_ >= bytes_.size()) refuse("it ends too early");
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  int word() {
    const int low = byte();
    return low | byte() << 8;
  }
  std::string_view some(size_t count) {
    if (count > bytes_.size() - at_) refuse("it ends too early");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  int64_t number_at(size_t at, int size) const {
    if (at > bytes_.size() || static_cast<size_t>(size) > bytes_.size() - at) refuse("it ends too early");
    uint32_t value = 0;
    for (int k = size; k-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes_[at + static_cast<size_t>(k)]);
    return size == 4 ? static_cast<int32_t>(value) : static_cast<int64_t>(value);
  }
  [[noreturn]] void refuse(std::string_view why) const { invalid("Invalid ", kind_, " data: ", why); }

 private:
  std::string_view bytes_;
  const char* kind_;
  size_t at_ = 0;
};

struct Palette {
  std::array<std::array<uint8_t, 3>, 256> colours{};
  int size = 0;
};
Palette palette_of(Bytes& bytes, int bits) {
  Palette palette;
  palette.size = 1 << bits;
  for (int i = 0; i < palette.size; ++i)
    for (uint8_t& part : palette.colours[static_cast<size_t>(i)]) part = bytes.byte();
  return palette;
}

// The data of a GIF's image: blocks with their length in front, the last of which is empty.
std::string blocks_of(Bytes& bytes) {
  std::string all;
  for (size_t size = bytes.byte(); size != 0; size = bytes.byte()) all += bytes.some(size);
  return all;
}

// Decodes Lempel-Ziv-Welch: returns `count` palette indices from codes of growing width.
std::vector<uint8_t> unpacked(const std::string& data, int least_bits, int64_t count, const Bytes& file) {
  if (least_bits < 1 || least_bits > 8) file.refuse("codes of a wrong width");
  constexpr int kMaxCodes = 4096;
  const int clear = 1 << least_bits, end = clear + 1;
  std::vector<int> before(kMaxCodes);
  std::vector<uint8_t> last(kMaxCodes), out, stack;
  out.reserve(static_cast<size_t>(std::min<int64_t>(count, 1 << 20)));
  int bits = least_bits + 1, next = clear + 2, previous = -1;
  uint8_t first = 0;
  uint32_t held = 0;
  int held_bits = 0;
  size_t at = 0;
  while (static_cast<int64_t>(out.size()) < count) {
    while (held_bits < bits) {
      if (at >= data.size()) file.refuse("an image ends too early");
      held |= static_cast<uint32_t>(static_cast<uint8_t>(data[at++])) << held_bits;
      held_bits += 8;
    }
    const int code = static_cast<int>(held & ((1u << bits) - 1));
    held >>= bits;
    held_bits -= bits;
    if (code == clear) {
      bits = least_bits + 1;
      next = clear + 2;
      previous = -1;
      continue;
    }
    if (code == end) file.refuse("an image ends too early");
    int one = code;
    stack.clear();
    if (previous < 0) {
      if (code >= clear) file.refuse("a code that means nothing");
    } else if (code >= next) {
      if (code > next) file.refuse("a code that means nothing");
      stack.push_back(first);
      one = previous;
    }
    while (one > end) {
      stack.push_back(last[static_cast<size_t>(one)]);
      one = before[static_cast<size_t>(one)];
    }
    first = static_cast<uint8_t>(one);
    stack.push_back(first);
    if (previous >= 0 && next < kMaxCodes) {
      before[static_cast<size_t>(next)] = previous;
      last[static_cast<size_t>(next)] = first;
      if (++next == 1 << bits && bits < 12) ++bits;
    }
    previous = code;
    for (size_t i = stack.size(); i-- > 0 && static_cast<int64_t>(out.size()) < count;) out.push_back(stack[i]);
  }
  return out;
}

struct Frame {
  int left, top, width, height;
  Palette palette;
  int transparent = -1;  // the palette index that shows the frame before
  std::vector<uint8_t> places;
};

// The rows of an interlaced image in the order of the file.
std::vector<int> row_order(int height, bool interlaced) {
  std::vector<int> order;
  if (!interlaced) {
    for (int y = 0; y < height; ++y) order.push_back(y);
    return order;
  }
  static constexpr int kBegin[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
  for (int pass = 0; pass < 4; ++pass)
    for (int y = kBegin[pass]; y < height; y += kStep[pass]) order.push_back(y);
  return order;
}

}  // namespace

void decode_bmp(std::string_view data, int channels, const Allocate& allocate) {
  const Bytes bytes(data, "BMP");
  if (!is_bmp(data)) bytes.refuse("it does not begin with BM");
  const int64_t begin = bytes.number_at(10, 4), width = bytes.number_at(18, 4), given = bytes.number_at(22, 4);
  const int64_t bits = bytes.number_at(28, 2);
  if (bits != 8 && bits != 24 && bits != 32) bytes.refuse("only 8, 24 and 32 bits per pixel can be read");
  const int64_t has = bits / 8;
  if (channels != 0 && channels != has)
    invalid("channels attribute ", channels, " does not match bits per pixel from file ", has, " [Op:DecodeBmp]");
  const int64_t height = std::abs(given);
  if (width <= 0 || height <= 0) bytes.refuse("it has no pixels");
  if (height > kMaxBytes || width > kMaxBytes || height * width >= kMaxBytes / has) bytes.refuse("it is too large");
  const int64_t line = (has * width + 3) / 4 * 4;
  if (begin < 0 || begin > static_cast<int64_t>(data.size()) ||
      line * (height - 1) + has * width > static_cast<int64_t>(data.size()) - begin)
    bytes.refuse("it ends too early");
  uint8_t* to = allocate(height, width, has);
  for (int64_t y = 0; y < height; ++y) {
    const char* from = data.data() + begin + line * (given > 0 ? height - 1 - y : y);
    for (int64_t x = 0; x < width; ++x, from += has, to += has)
      for (int64_t k = 0; k < has; ++k)  // blue, green, red in the file
        to[k] = static_cast<uint8_t>(from[has >= 3 && k < 3 ? 2 - k : k]);
  }
}

void decode_gif(std::string_view data, bool first_alone,
                const std::function<uint8_t*(int64_t frames, int64_t height, int64_t width)>& allocate) {
  Bytes bytes(data, "GIF");
  const std::string_view mark = bytes.some(6);
  if (mark != "GIF87a" && mark != "GIF89a") bytes.refuse("it does not begin with GIF");
  const int64_t width = bytes.word(), height = bytes.word();
  if (width == 0 || height == 0) bytes.refuse("it has no pixels");
  const int flags = bytes.byte();
  bytes.some(2);
  std::optional<Palette> common;
  if (flags & 0x80) common = palette_of(bytes, (flags & 7) + 1);
  std::vector<Frame> frames;
  int transparent = -1;
  int64_t total = 0;
  for (;;) {
    const int block = bytes.byte();
    if (block == 0x3b) break;
    if (block == 0x21) {
      const int label = bytes.byte();
      const std::string extension = blocks_of(bytes);
      if (label == 0xf9 && extension.size() >= 4)
        transparent = extension[0] & 1 ? static_cast<uint8_t>(extension[3]) : -1;
      continue;
    }
    if (block != 0x2c) bytes.refuse("a block of an unknown kind");
    Frame frame{};
    frame.left = bytes.word();
    frame.top = bytes.word();
    frame.width = bytes.word();
    frame.height = bytes.word();
    const int own = bytes.byte();
    if (own & 0x80) frame.palette = palette_of(bytes, (own & 7) + 1);
    else if (common) frame.palette = *common;
    else bytes.refuse("an image without colours");
    frame.transparent = transparent;
    transparent = -1;
    const int least_bits = bytes.byte();
    const int64_t pixels = int64_t{frame.width} * frame.height;
    total += std::max(pixels, width * height) * 3;
    if (total >= kMaxBytes) bytes.refuse("it is too large");
    const std::vector<uint8_t> places = unpacked(blocks_of(bytes), least_bits, pixels, bytes);
    frame.places.resize(places.size());
    const std::vector<int> order = row_order(frame.height, own & 0x40);
    for (size_t y = 0; y < order.size(); ++y)
      std::copy_n(places.begin() + static_cast<int64_t>(y) * frame.width, frame.width,
                  frame.places.begin() + int64_t{order[y]} * frame.width);
    frames.push_back(std::move(frame));
    if (first_alone) break;
  }
  if (frames.empty()) bytes.refuse("it has no images");
  const int64_t size = width * height * 3;
  uint8_t* canvas = allocate(static_cast<int64_t>(frames.size()), height, width);
  for (size_t n = 0; n < frames.size(); ++n, canvas += size) {
    const Frame& frame = frames[n];
    if (n == 0) std::fill(canvas, canvas + size, uint8_t{0});
    else std::copy(canvas - size, canvas, canvas);
    for (int y = 0; y < frame.height && frame.top + y < height; ++y)
      for (int x = 0; x < frame.width && frame.left + x < width; ++x) {
        const int place = frame.places[static_cast<size_t>(int64_t{y} * frame.width + x)];
        if (place == frame.transparent) continue;
        if (place >= frame.palette.size) bytes.refuse("a colour that the palette does not have");
        std::copy_n(frame.palette.colours[static_cast<size_t>(place)].begin(), 3,
                    canvas + ((frame.top + y) * width + frame.left + x) * 3);
      }
  }
}

}  // namespace footlight::image_files
