// Reads the directory of a zip file, with the longer fields of large ones, and its members.
#include "engine/model/archive.h"

#include "engine/base/claimed_size.h"
#include "engine/base/errors.h"
#include "engine/base/text.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace footlight::model {
namespace {

constexpr size_t kMaxMembers = 65535;

[[noreturn]] void bad_archive(const char* why) {
  fail(ErrorKind::kValue, "not a zip archive, or a damaged one: ", why);
}

template <class T>
T at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) bad_archive("it ends too early");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string inflated(std::string_view packed, uint64_t size) {
  std::string out(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail(ErrorKind::kRuntime, "zlib could not be started");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  const uint64_t got = stream.total_out;
  inflateEnd(&stream);
  if (result != Z_STREAM_END || got != size) bad_archive("a member cannot be decompressed");
  return out;
}

}  // namespace

Archive::Archive(std::string_view bytes) : bytes_(bytes) {
  constexpr uint64_t kEnd = 22;
  if (bytes.size() < kEnd) bad_archive("it is too short");
  uint64_t end = bytes.size() - kEnd;
  const uint64_t least = end > 65535 ? end - 65535 : 0;
  while (at<uint32_t>(bytes, end) != 0x06054b50) {
    if (end == least) bad_archive("it has no directory");
    --end;
  }
  uint64_t count = at<uint16_t>(bytes, end + 10), offset = at<uint32_t>(bytes, end + 16);
  if ((count == 0xffff || offset == 0xffffffff) && end >= 20 && at<uint32_t>(bytes, end - 20) == 0x07064b50) {
    const auto longer = at<uint64_t>(bytes, end - 20 + 8);
    if (at<uint32_t>(bytes, longer) != 0x06064b50) bad_archive("its directory has a wrong position");
    count = at<uint64_t>(bytes, longer + 32);
    offset = at<uint64_t>(bytes, longer + 48);
  }
  if (count > kMaxMembers) bad_archive("it has too many members");
  for (uint64_t i = 0; i < count; ++i) {
    if (at<uint32_t>(bytes, offset) != 0x02014b50) bad_archive("its directory has a wrong position");
    Member m;
    if (at<uint16_t>(bytes, offset + 8) & 1) bad_archive("it is encrypted");
    m.method = at<uint16_t>(bytes, offset + 10);
    m.checksum = at<uint32_t>(bytes, offset + 16);
    m.packed = at<uint32_t>(bytes, offset + 20);
    m.size = at<uint32_t>(bytes, offset + 24);
    const uint64_t name = at<uint16_t>(bytes, offset + 28), extra = at<uint16_t>(bytes, offset + 30),
                   comment = at<uint16_t>(bytes, offset + 32);
    m.offset = at<uint32_t>(bytes, offset + 42);
    if (bytes.size() - offset < 46 + name + extra + comment) bad_archive("it ends too early");
    // Sizes that do not fit 32 bits follow the name.
    for (uint64_t e = offset + 46 + name, stop = e + extra; e + 4 <= stop;) {
      const uint64_t kind = at<uint16_t>(bytes, e), length = at<uint16_t>(bytes, e + 2);
      uint64_t value = e + 4;
      if (kind == 1)
        for (uint64_t* field : {&m.size, &m.packed, &m.offset})
          if (*field == 0xffffffff && value + 8 <= std::min(stop, e + 4 + length)) {
            *field = at<uint64_t>(bytes, value);
            value += 8;
          }
      e += 4 + length;
    }
    members_[std::string(bytes.substr(offset + 46, name))] = m;
    offset += 46 + name + extra + comment;
  }
}

std::string Archive::member(std::string_view name, uint64_t most) const {
  const auto found = members_.find(name);
  if (found == members_.end()) fail(ErrorKind::kValue, "the archive has no ", std::string(name));
  const Member& m = found->second;
  if (m.size > most || m.packed > most)
    fail(ErrorKind::kValue, std::string(name), " in the archive takes ", bytes_text(std::max(m.size, m.packed)),
         ", and at most ", bytes_text(most), " are read: it is damaged, or was made to use up memory");
  if (at<uint32_t>(bytes_, m.offset) != 0x04034b50) bad_archive("a member has a wrong position");
  const uint64_t begin =
      m.offset + 30 + at<uint16_t>(bytes_, m.offset + 26) + at<uint16_t>(bytes_, m.offset + 28);
  if (begin > bytes_.size() || bytes_.size() - begin < m.packed) bad_archive("a member ends too early");
  if (m.size / kMaxDeflateRatio > m.packed) bad_archive("a member claims an impossible size");
  const std::string_view packed = bytes_.substr(begin, m.packed);
  std::string out = m.method == 0   ? std::string(packed)
                    : m.method == 8 ? inflated(packed, m.size)
                                    : std::string();
  if (m.method != 0 && m.method != 8) bad_archive("a member uses an unknown compression method");
  if (out.size() != m.size ||
      crc32(0, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(out.size())) != m.checksum)
    bad_archive("a member has a wrong checksum");
  return out;
}

}  // namespace footlight::model
