// Reads files through a buffer and decompresses them with zlib or Snappy.
#include "engine/data/input_file.h"

#include "engine/base/text.h"
#include "engine/base/snappy.h"
#include "engine/wire/tfrecord.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace footlight::data {

Compression compression_of(const std::string& name) {
  if (name.empty()) return Compression::kNone;
  if (name == "GZIP") return Compression::kGzip;
  if (name == "ZLIB") return Compression::kZlib;
  invalid("Unsupported compression_type: ", name, ": it is '', 'GZIP' or 'ZLIB'");
}

Compression saved_compression_of(const std::string& name) {
  return name == "SNAPPY" ? Compression::kSnappy : compression_of(name);
}

namespace {

constexpr size_t kSnappyBlock = 1 << 18, kMaxSnappy = size_t{1} << 28;

[[noreturn]] void fail_with(int error, const std::string& path) {
  const ErrorKind kind = error == ENOENT                    ? ErrorKind::kNotFound
                         : error == EACCES || error == EPERM ? ErrorKind::kPermissionDenied
                         : error == EISDIR                   ? ErrorKind::kFailedPrecondition
                         : error == ENOSPC                   ? ErrorKind::kResourceExhausted
                                                             : ErrorKind::kUnknown;
  fail(kind, path, "; ", std::strerror(error));
}

}  // namespace

struct InputFile::Parts {
  int file = -1;
  bool compressed = false, snappy = false, ended = false, stream_open = false;
  z_stream stream{};
  std::vector<char> raw;     // compressed bytes
  std::vector<char> buffer;  // read bytes that the caller has not received yet
  size_t at = 0, end = 0;
};

InputFile::InputFile(const std::string& path, Compression compression, size_t buffer_bytes)
    : path_(path), parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (p.file < 0) fail_with(errno, path);
  struct stat about;
  if (fstat(p.file, &about) == 0 && S_ISDIR(about.st_mode)) {
    ::close(p.file);
    p.file = -1;
    fail_with(EISDIR, path);
  }
  p.buffer.resize(std::clamp<size_t>(buffer_bytes, 4096, size_t{64} << 20));
  p.compressed = compression != Compression::kNone;
  p.snappy = compression == Compression::kSnappy;
  if (!p.compressed || p.snappy) return;
  p.raw.resize(p.buffer.size());
  if (inflateInit2(&p.stream, MAX_WBITS + (compression == Compression::kGzip ? 16 : 0)) != Z_OK)
    fail(ErrorKind::kResourceExhausted, path, ": no memory to decompress it");
  p.stream_open = true;
}

InputFile::~InputFile() {
  if (parts_->stream_open) inflateEnd(&parts_->stream);
  if (parts_->file >= 0) ::close(parts_->file);
}

bool InputFile::fill() {
  Parts& p = *parts_;
  p.at = p.end = 0;
  const auto read_into = [&](std::vector<char>& to) {
    ssize_t got;
    do got = ::read(p.file, to.data(), to.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) fail_with(errno, path_);
    return static_cast<size_t>(got);
  };
  if (!p.compressed) {
    p.end = read_into(p.buffer);
    return p.end > 0;
  }
  if (p.snappy) return fill_block();
  while (!p.ended) {
    if (p.stream.avail_in == 0) {
      const size_t got = read_into(p.raw);
      if (got == 0) {
        p.ended = true;
        if (p.stream.total_in == 0) return false;  // empty, or the end of the last part
        throw Error(ErrorKind::kDataLoss, path_ + ": the compressed data ends in the middle");
      }
      p.stream.next_in = reinterpret_cast<Bytef*>(p.raw.data());
      p.stream.avail_in = static_cast<uInt>(got);
    }
    p.stream.next_out = reinterpret_cast<Bytef*>(p.buffer.data());
    p.stream.avail_out = static_cast<uInt>(p.buffer.size());
    const int result = inflate(&p.stream, Z_NO_FLUSH);
    p.end = p.buffer.size() - p.stream.avail_out;
    if (result == Z_STREAM_END) inflateReset(&p.stream);  // gzip files may consist of several parts
    else if (result != Z_OK && result != Z_BUF_ERROR)
      throw Error(ErrorKind::kDataLoss,
                  str(path_, ": it cannot be decompressed: ", p.stream.msg ? p.stream.msg : "wrong data"));
    if (p.end) return true;
  }
  return false;
}

// A block has a size (most significant byte first), then that many bytes of Snappy's.
bool InputFile::fill_block() {
  Parts& p = *parts_;
  const auto damaged = [&] {
    throw Error(ErrorKind::kDataLoss, path_ + ": it is damaged, or not compressed with Snappy");
  };
  const auto take = [&](std::string& to, size_t count) {
    to.resize(count);
    for (size_t done = 0; done < count;) {
      const ssize_t got = ::read(p.file, to.data() + done, count - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_with(errno, path_);
      if (got == 0 && done == 0) return false;
      if (got == 0) damaged();
      done += static_cast<size_t>(got);
    }
    return true;
  };
  std::string packed, block;
  if (!take(packed, 4)) return false;
  size_t size = 0;
  for (const char byte : packed) size = size << 8 | static_cast<unsigned char>(byte);
  struct stat about;
  if (size == 0 || fstat(p.file, &about) != 0 || size > static_cast<size_t>(about.st_size) || !take(packed, size) ||
      !unpack_snappy(packed, kMaxSnappy, block))
    damaged();
  p.buffer.assign(block.begin(), block.end());
  p.end = block.size();
  return p.end > 0;
}

size_t InputFile::read(char* to, size_t count) {
  Parts& p = *parts_;
  size_t done = 0;
  while (done < count) {
    if (p.at == p.end && !fill()) break;
    const size_t some = std::min(count - done, p.end - p.at);
    std::memcpy(to + done, p.buffer.data() + p.at, some);
    p.at += some;
    done += some;
  }
  return done;
}

uint64_t InputFile::skip(uint64_t count) {
  Parts& p = *parts_;
  uint64_t done = 0;
  while (done < count) {
    if (p.at == p.end && !fill()) break;
    const size_t some = static_cast<size_t>(std::min<uint64_t>(count - done, p.end - p.at));
    p.at += some;
    done += some;
  }
  return done;
}

bool InputFile::line(std::string& out) {
  Parts& p = *parts_;
  out.clear();
  bool any = false;
  for (;;) {
    if (p.at == p.end && !fill()) break;
    any = true;
    const char* from = p.buffer.data() + p.at;
    const auto* end = static_cast<const char*>(std::memchr(from, '\n', p.end - p.at));
    const size_t some = end ? static_cast<size_t>(end - from) : p.end - p.at;
    out.append(from, some);
    p.at += some + (end ? 1 : 0);
    if (end) break;
  }
  if (any && !out.empty() && out.back() == '\r') out.pop_back();
  return any;
}

bool read_record(InputFile& file, std::string& out) {
  char head[wire::kRecordHead];
  const size_t got = file.read(head, sizeof head);
  if (got == 0) return false;
  const auto loss = [&](const char* what) {
    fail(ErrorKind::kDataLoss, what, " in ", file.path(),
         ": it is no TFRecord file, it is damaged, or it is compressed in another way than said");
  };
  if (got < sizeof head) loss("truncated record");
  const std::optional<uint64_t> size = wire::record_size(head);
  if (!size) loss("corrupted record");
  const uint64_t length = *size;
  // Reads in pieces, so that a wrong length does not allocate memory for bytes that do not exist.
  constexpr uint64_t kPiece = uint64_t{16} << 20;
  out.clear();
  for (uint64_t done = 0; done < length;) {
    const auto some = static_cast<size_t>(std::min(length - done, kPiece));
    out.resize(static_cast<size_t>(done) + some);
    if (file.read(out.data() + done, some) < some) loss("truncated record");
    done += some;
  }
  char tail[wire::kRecordTail];
  if (file.read(tail, sizeof tail) < sizeof tail) loss("truncated record");
  if (!wire::is_record(out, tail)) loss("corrupted record");
  return true;
}

struct RecordWriter::Parts {
  int file = -1;
  bool compressed = false, snappy = false;
  z_stream stream{};
  std::string buffer;
};

RecordWriter::RecordWriter(const std::string& path, Compression compression, int level)
    : path_(path), parts_(std::make_unique<Parts>()) {
  parts_->file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (parts_->file < 0) {
    parts_.reset();
    fail_with(errno, path);
  }
  parts_->snappy = compression == Compression::kSnappy;
  if (compression == Compression::kNone || parts_->snappy) return;
  const int bits = MAX_WBITS + (compression == Compression::kGzip ? 16 : 0);
  if (deflateInit2(&parts_->stream, level, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    ::close(parts_->file);
    parts_.reset();
    invalid(path, ": zlib takes no compression level ", level);
  }
  parts_->compressed = true;
}

RecordWriter::~RecordWriter() {
  try {
    close();
  } catch (const Error&) {
  }
}

void RecordWriter::put(const char* bytes, size_t count) {
  while (count) {
    const ssize_t wrote = ::write(parts_->file, bytes, count);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail_with(errno, path_);
    bytes += wrote;
    count -= static_cast<size_t>(wrote);
  }
}

void RecordWriter::deflate_to_file(int how) {
  Parts& p = *parts_;
  if (p.snappy) {
    for (size_t at = 0; at < p.buffer.size(); at += kSnappyBlock) {
      std::string block = pack_snappy(std::string_view(p.buffer).substr(at, kSnappyBlock));
      const auto size = static_cast<uint32_t>(block.size());
      const char head[4] = {static_cast<char>(size >> 24), static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                            static_cast<char>(size)};
      put(head, sizeof head);
      put(block.data(), block.size());
    }
    p.buffer.clear();
    return;
  }
  if (!p.compressed) {
    put(p.buffer.data(), p.buffer.size());
    p.buffer.clear();
    return;
  }
  char out[1 << 16];
  p.stream.next_in = reinterpret_cast<Bytef*>(p.buffer.data());
  p.stream.avail_in = static_cast<uInt>(p.buffer.size());
  do {
    p.stream.next_out = reinterpret_cast<Bytef*>(out);
    p.stream.avail_out = sizeof out;
    deflate(&p.stream, how);
    put(out, sizeof out - p.stream.avail_out);
  } while (p.stream.avail_out == 0);
  p.buffer.clear();
}

void RecordWriter::write(const std::string& record) {
  if (!parts_) throw Error(ErrorKind::kFailedPrecondition, "Writer not initialized or previously closed");
  wire::put_record(parts_->buffer, record);
  if (parts_->buffer.size() >= 1 << 18) deflate_to_file(Z_NO_FLUSH);
}

void RecordWriter::flush() {
  if (!parts_) throw Error(ErrorKind::kFailedPrecondition, "Writer not initialized or previously closed");
  deflate_to_file(Z_SYNC_FLUSH);
}

void RecordWriter::close() {
  if (!parts_) return;
  try {
    deflate_to_file(Z_FINISH);
  } catch (...) {
    if (parts_->compressed) deflateEnd(&parts_->stream);
    ::close(parts_->file);
    parts_.reset();
    throw;
  }
  if (parts_->compressed) deflateEnd(&parts_->stream);
  const int result = ::close(parts_->file);
  parts_.reset();
  if (result < 0) fail_with(errno, path_);
}

}  // namespace footlight::data
