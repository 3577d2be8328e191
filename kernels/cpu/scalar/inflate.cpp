// Decompresses part by part with zlib, and stops at a limit.
#include "kernels/cpu/scalar/inflate.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include <zlib.h>

namespace footlight {
namespace {
constexpr size_t kMaxInflated = size_t{1} << 32;
}  // namespace

std::string inflated(const std::string& in, bool is_gzip) {
  z_stream stream{};
  if (inflateInit2(&stream, is_gzip ? 16 + MAX_WBITS : MAX_WBITS) != Z_OK)
    fail(ErrorKind::kResourceExhausted, "no memory to decompress [Op:DecodeCompressed]");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  std::string_view left = in;  // zlib counts in 32 bits
  std::string out;
  char part[1 << 16];
  for (;;) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left.data()));
    const auto given = static_cast<uInt>(std::min<size_t>(left.size(), UINT32_MAX));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(part);
    stream.avail_out = sizeof part;
    const int state = inflate(&stream, Z_NO_FLUSH);
    left.remove_prefix(given - stream.avail_in);
    out.append(part, sizeof part - stream.avail_out);
    if (out.size() > kMaxInflated)
      fail(ErrorKind::kResourceExhausted, "more than ", kMaxInflated, " bytes decompressed [Op:DecodeCompressed]");
    if (state == Z_STREAM_END) {
      if (!is_gzip || left.empty()) return out;
      inflateReset(&stream);
    } else if (left.empty() && (state == Z_BUF_ERROR || (state == Z_OK && stream.avail_out != 0))) {
      fail(ErrorKind::kDataLoss, "the compressed data ends too early [Op:DecodeCompressed]");
    } else if (state != Z_OK) {
      fail(ErrorKind::kDataLoss, "inflate() failed with error ", state, stream.msg ? str(": ", stream.msg) : "",
           " [Op:DecodeCompressed]");
    }
  }
}

}  // namespace footlight
