// Kernels that read and write files, and those that decode bytes: numbers, base64, compressed data, sound.
#include "kernels/cpu/scalar/inflate.h"
#include "kernels/cpu/scalar/strings.h"
#include "kernels/cpu/register.h"

#include "engine/base/text.h"
#include "engine/tensor/size.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <sys/stat.h>

namespace footlight::FL_ISA {

namespace {

struct CloseFile {
  void operator()(FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<FILE, CloseFile>;

[[noreturn]] void refuse_file(const std::string& path, int code, const char* op) {
  const ErrorKind kind = code == ENOENT || code == ENOTDIR ? ErrorKind::kNotFound
                         : code == EACCES || code == EPERM ? ErrorKind::kPermissionDenied
                         : code == EISDIR                  ? ErrorKind::kFailedPrecondition
                         : code == ENOSPC                  ? ErrorKind::kResourceExhausted
                                                           : ErrorKind::kUnknown;
  fail(kind, path, "; ", std::strerror(code), " [Op:", op, "]");
}

void read_file(KernelContext& c) {
  const std::string& path = *c.in<std::string>(0);
  OpenFile file(std::fopen(path.c_str(), "rbe"));
  if (!file) refuse_file(path, errno, c.row.name);
  std::string all;
  struct stat about {};
  if (fstat(fileno(file.get()), &about) == 0) {
    if (S_ISDIR(about.st_mode)) refuse_file(path, EISDIR, c.row.name);
    if (S_ISREG(about.st_mode) && about.st_size > 0) all.reserve(static_cast<size_t>(about.st_size));
  }
  char part[1 << 16];
  while (const size_t count = std::fread(part, 1, sizeof part, file.get())) all.append(part, count);
  if (std::ferror(file.get())) refuse_file(path, errno, c.row.name);
  *c.out<std::string>() = std::move(all);
}

void write_file(KernelContext& c) {
  const std::string &path = *c.in<std::string>(0), &contents = *c.in<std::string>(1);
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);  // a failure shows when the file is opened
  }
  OpenFile file(std::fopen(path.c_str(), "wbe"));
  if (!file) refuse_file(path, errno, c.row.name);
  if (std::fwrite(contents.data(), 1, contents.size(), file.get()) != contents.size())
    refuse_file(path, errno, c.row.name);
  if (std::fclose(file.release()) != 0) refuse_file(path, errno, c.row.name);
}

// Reverses the bytes of each number, for files whose byte order is not the machine's.
void swap_bytes(char* bytes, size_t count, size_t size) {
  for (size_t i = 0; i + size <= count; i += size) std::reverse(bytes + i, bytes + i + size);
}
size_t part_size(DType dtype) { return is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype); }

Shape with_last(const Shape& shape, int64_t last) {
  Shape out = shape;
  out.append(last);
  check_shape(out);
  return out;
}

void decode_raw(KernelContext& c) {
  const auto dtype = c.attrs.get<DType>("out_type"_attr);
  const bool little = c.attrs.get_or("little_endian"_attr, true);
  const std::string* in = c.in<std::string>(0);
  const int64_t count = c.inputs[0].elements();
  const size_t size = size_of(dtype), bytes = count ? in[0].size() : 0;
  for (int64_t i = 1; i < count; ++i)
    if (in[i].size() != bytes)
      invalid("DecodeRaw requires input strings to all be the same size, but element ", i, " has size ", bytes,
              " != ", in[i].size(), " [Op:DecodeRaw]");
  if (bytes % size)
    invalid("Input to DecodeRaw has length ", bytes, " that is not a multiple of ", size, ", the size of ",
            name_of(dtype), " [Op:DecodeRaw]");
  c.outputs[0] = Tensor::empty(dtype, with_last(c.inputs[0].shape(), static_cast<int64_t>(bytes / size)));
  char* out = static_cast<char*>(c.outputs[0].raw());
  for (int64_t i = 0; i < count && bytes; ++i, out += bytes) {
    std::memcpy(out, in[i].data(), bytes);
    if (dtype == DType::kBool)  // any byte but 0 is true
      for (size_t k = 0; k < bytes; ++k) out[k] = out[k] != 0;
    if (!little) swap_bytes(out, bytes, part_size(dtype));
  }
}

void decode_padded_raw(KernelContext& c) {
  const auto dtype = c.attrs.get<DType>("out_type"_attr);
  const bool little = c.attrs.get_or("little_endian"_attr, true);
  if (c.inputs[1].elements() != 1)
    invalid("k must be scalar, got shape ", c.inputs[1].shape().brackets(), " [Op:DecodePaddedRaw]");
  const int64_t length = *c.in<int32_t>(1);
  const size_t size = size_of(dtype);
  if (length <= 0) invalid("fixed_length (", length, ") must be greater than zero. [Op:DecodePaddedRaw]");
  if (static_cast<size_t>(length) % size)
    invalid("fixed_length (", length, ") must be a multiple of the size of out_type (", size,
            ") [Op:DecodePaddedRaw]");
  c.outputs[0] = Tensor::empty(dtype, with_last(c.inputs[0].shape(), length / static_cast<int64_t>(size)));
  char* out = static_cast<char*>(c.outputs[0].raw());
  for (int64_t i = 0; i < c.inputs[0].elements(); ++i, out += length) {
    const std::string& in = c.in<std::string>(0)[i];
    const size_t there = std::min(in.size(), static_cast<size_t>(length));
    std::memcpy(out, in.data(), there);
    std::memset(out + there, 0, static_cast<size_t>(length) - there);
    if (dtype == DType::kBool)
      for (int64_t k = 0; k < length; ++k) out[k] = out[k] != 0;
    if (!little) swap_bytes(out, static_cast<size_t>(length), part_size(dtype));
  }
}

// --- base64 with - and _ ---
constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encoded(const std::string& in, bool pad) {
  std::string out;
  out.reserve((in.size() + 2) / 3 * 4);
  for (size_t i = 0; i < in.size(); i += 3) {
    const size_t there = std::min<size_t>(3, in.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < there ? static_cast<unsigned char>(in[i + k]) : 0u);
    for (size_t k = 0; k < there + 1; ++k) out += kDigits[bits >> (18 - 6 * k) & 63];
    if (pad) out.append(3 - there, '=');
  }
  return out;
}

std::string decoded(std::string_view in) {
  for (int k = 0; k < 2 && !in.empty() && in.back() == '='; ++k) in.remove_suffix(1);
  if (in.size() % 4 == 1) invalid("Base64 string length cannot be 1 modulo 4. [Op:DecodeBase64]");
  static const auto kValues = [] {
    std::array<int8_t, 256> values;
    values.fill(-1);
    for (int8_t i = 0; i < 64; ++i) values[static_cast<unsigned char>(kDigits[i])] = i;
    return values;
  }();
  std::string out;
  out.reserve(in.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int have = 0;
  for (const char digit : in) {
    const int value = kValues[static_cast<unsigned char>(digit)];
    if (value < 0) invalid("Invalid character found in base64. [Op:DecodeBase64]");
    bits = (bits << 6 | static_cast<uint32_t>(value)) & 0xffffff;
    if ((have += 6) >= 8) out += static_cast<char>(bits >> (have -= 8) & 255);
  }
  return out;
}

void encode_base64(KernelContext& c) {
  const bool pad = c.attrs.get_or("pad"_attr, false);
  const std::string* in = c.in<std::string>(0);
  std::string* out = c.out<std::string>();
  for_strings(c.inputs[0].elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = encoded(in[i], pad);
  });
}

void decode_base64(KernelContext& c) {
  const std::string* in = c.in<std::string>(0);
  std::string* out = c.out<std::string>();
  for_strings(c.inputs[0].elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = decoded(in[i]);
  });
}

void decode_compressed(KernelContext& c) {
  const std::string type = c.attrs.get_or("compression_type"_attr, std::string());
  for (int64_t i = 0; i < c.inputs[0].elements(); ++i) {
    const std::string& in = c.in<std::string>(0)[i];
    c.out<std::string>()[i] =
        type.empty() || in.empty() ? in : inflated(in, type == "GZIP");
  }
}

class WavReader {
 public:
  explicit WavReader(std::string_view bytes) : rest_(bytes) {}
  std::string_view take(size_t count, const char* what) {
    if (count > rest_.size()) invalid("Data too short when trying to read ", what, " [Op:DecodeWav]");
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }
  template <class Number>
  Number number(const char* what) {
    Number out;
    std::memcpy(&out, take(sizeof out, what).data(), sizeof out);
    return out;
  }
  void expect(const char* text) {
    const std::string_view there = take(4, text);
    if (there != text) invalid("Header mismatch: Expected ", text, " but found ", there, " [Op:DecodeWav]");
  }
  bool empty() const { return rest_.empty(); }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

void decode_wav(KernelContext& c) {
  const std::string& file = *c.in<std::string>(0);
  WavReader in(file);
  in.expect("RIFF");
  in.number<uint32_t>("size");
  in.expect("WAVE");
  in.expect("fmt ");
  const auto format_size = in.number<uint32_t>("fmt ");
  if (format_size != 16 && format_size != 18)
    invalid("Bad file size for WAV: Expected 16 or 18, but got ", format_size, " [Op:DecodeWav]");
  const auto format = in.number<uint16_t>("format");
  if (format != 1) invalid("Bad audio format for WAV: Expected 1 (PCM), but got ", format, " [Op:DecodeWav]");
  const auto channels = in.number<uint16_t>("channels");
  const auto rate = in.number<uint32_t>("sample rate");
  const auto byte_rate = in.number<uint32_t>("bytes per second");
  const auto frame = in.number<uint16_t>("bytes per sample");
  const auto bits = in.number<uint16_t>("bits per sample");
  if (bits != 16) invalid("Can only read 16-bit WAV files, but received ", bits, " [Op:DecodeWav]");
  if (channels < 1)
    invalid("Bad number of channels for WAV: Expected at least 1, but got ", channels, " [Op:DecodeWav]");
  if (frame != channels * 2)
    invalid("Bad bytes per sample in WAV header: Expected ", channels * 2, " but got ", frame, " [Op:DecodeWav]");
  if (byte_rate != static_cast<uint32_t>(rate * frame))
    invalid("Bad bytes per second in WAV header: Expected ", static_cast<uint32_t>(rate * frame), " but got ",
            byte_rate, " [Op:DecodeWav]");
  if (format_size == 18) in.take(2, "fmt ");
  std::string_view samples;
  bool found = false;
  while (!in.empty() && !found) {
    const std::string_view name = in.take(4, "chunk");
    const auto size = in.number<uint32_t>("chunk size");
    if (size > INT32_MAX) invalid("Chunk size too large: ", size, " [Op:DecodeWav]");
    const std::string_view data = in.take(name == "data" ? std::min<size_t>(size, in.left()) : size, "chunk");
    if (name == "data") {
      if (data.size() < size) invalid("Data too short when trying to read data [Op:DecodeWav]");
      samples = data;
      found = true;
    }
  }
  if (!found) invalid("No data chunk found in WAV [Op:DecodeWav]");
  const int64_t frames = static_cast<int64_t>(samples.size()) / frame;
  int64_t out_channels = c.attrs.get_or("desired_channels"_attr, int64_t{-1}),
          out_frames = c.attrs.get_or("desired_samples"_attr, int64_t{-1});
  if (out_channels < 1) out_channels = channels;
  if (out_frames < 0) out_frames = frames;
  const Shape shape{out_frames, out_channels};
  check_shape(shape);
  c.outputs[0] = Tensor::empty(DType::kFloat32, shape);
  float* out = c.out<float>();
  for (int64_t f = 0; f < out_frames; ++f)
    for (int64_t ch = 0; ch < out_channels; ++ch) {
      int16_t sample = 0;
      // Missing channels repeat the last one.
      if (f < frames)
        std::memcpy(&sample, samples.data() + (f * channels + std::min<int64_t>(ch, channels - 1)) * 2,
                    sizeof sample);
      *out++ = static_cast<float>(sample) / 32768.f;
    }
  c.set_output(1, DType::kInt32, Shape());
  *c.out<int32_t>(1) = static_cast<int32_t>(rate);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("ReadFile", kAllTypes, read_file);
  on_cpu("WriteFile", kAllTypes, write_file);
  on_cpu("DecodeRaw", kAllTypes, decode_raw);
  on_cpu("DecodePaddedRaw", kAllTypes, decode_padded_raw);
  on_cpu("DecodeBase64", kAllTypes, decode_base64);
  on_cpu("EncodeBase64", kAllTypes, encode_base64);
  on_cpu("DecodeCompressed", kAllTypes, decode_compressed);
  on_cpu("DecodeWav", kAllTypes, decode_wav);
}

}  // namespace footlight::FL_ISA
