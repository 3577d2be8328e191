// Kernels that write summaries, and those that make files of images and of sound.
#include "kernels/cpu/register.h"

#include "engine/base/text.h"
#include "engine/tensor/summary_writer.h"

#include <algorithm>
#include <cmath>

#include <zlib.h>

namespace footlight::FL_ISA {

namespace {

SummaryWriter& writer(KernelContext& c) { return summary_writer_of(c.inputs[0]); }

void write(KernelContext& c) {
  writer(c).write(*c.in<int64_t>(1), c.inputs[2], *c.in<std::string>(3), *c.in<std::string>(4));
}

template <class Number>
void put_big(std::string& out, Number number) {
  for (size_t i = sizeof number; i-- > 0;) out.push_back(static_cast<char>(number >> (8 * i) & 255));
}
template <class Number>
void put_little(std::string& out, Number number) {
  for (size_t i = 0; i < sizeof number; ++i) out.push_back(static_cast<char>(number >> (8 * i) & 255));
}

// Appends a chunk of a PNG file: size, type, data and checksum.
void put_part(std::string& file, const char* type, const std::string& data) {
  put_big(file, static_cast<uint32_t>(data.size()));
  const size_t start = file.size();
  file.append(type).append(data);
  put_big(file, static_cast<uint32_t>(
                    crc32(0, reinterpret_cast<const Bytef*>(file.data() + start), static_cast<uInt>(data.size() + 4))));
}

std::string compressed(const std::string& bytes, int level) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                level) != Z_OK)
    fail(ErrorKind::kResourceExhausted, "no memory to compress an image of ", bytes.size(), " bytes [Op:EncodePng]");
  out.resize(size);
  return out;
}

// Encodes each row by the differences of pixels from those to their left, which are small.
template <class T>
std::string png(const T* pixels, int64_t height, int64_t width, int64_t channels, int level) {
  const auto row = static_cast<size_t>(width * channels) * sizeof(T), pixel = static_cast<size_t>(channels) * sizeof(T);
  std::string rows, line;
  rows.reserve((row + 1) * static_cast<size_t>(height));
  for (int64_t y = 0; y < height; ++y) {
    line.clear();
    for (int64_t x = 0; x < width * channels; ++x) put_big(line, pixels[y * width * channels + x]);
    rows.push_back('\1');
    for (size_t i = 0; i < row; ++i)
      rows.push_back(i < pixel ? line[i] : static_cast<char>(line[i] - line[i - pixel]));
  }
  static constexpr char kColours[] = {0, 4, 2, 6};
  std::string header, file("\x89PNG\r\n\x1a\n", 8);
  put_big(header, static_cast<uint32_t>(width));
  put_big(header, static_cast<uint32_t>(height));
  header += {static_cast<char>(8 * sizeof(T)), kColours[channels - 1], 0, 0, 0};
  put_part(file, "IHDR", header);
  put_part(file, "IDAT", compressed(rows, level));
  put_part(file, "IEND", "");
  return file;
}

template <class T>
void encode_png(KernelContext& c) {
  const Shape& shape = c.inputs[0].shape();
  const int rank = shape.rank();
  const int64_t height = shape[rank - 3], width = shape[rank - 2], channels = shape[rank - 1];
  // The largest size that the format has, and that a part of a file has room for.
  const bool fits = height > 0 && width > 0 && height < int64_t{1} << 31 && width < int64_t{1} << 31 &&
                    (width * channels + 1) < (int64_t{1} << 30) / height / static_cast<int64_t>(sizeof(T));
  if (!fits) invalid("an image of shape ", shape.brackets(), " cannot be a PNG file [Op:EncodePng]");
  const Tensor& out = c.set_output(0, DType::kString, Shape(shape.dims().first(static_cast<size_t>(rank - 3))));
  const int level = static_cast<int>(c.attrs.get_or("compression"_attr, int64_t{-1}));
  for (int64_t k = 0; k < out.elements(); ++k)
    out.data<std::string>()[k] = png(c.in<T>(0) + k * height * width * channels, height, width, channels, level);
}

void encode_wav(KernelContext& c) {
  const int64_t frames = c.inputs[0].shape()[0], channels = c.inputs[0].shape()[1];
  const int32_t rate = *c.in<int32_t>(1);
  if (channels < 1 || channels > 0xffff || frames < 0 || frames > (INT32_MAX - 100) / (2 * channels))
    invalid("sound of shape ", c.inputs[0].shape().brackets(), " cannot be a WAV file [Op:EncodeWav]");
  if (rate <= 0 || rate > INT32_MAX / (2 * channels))
    invalid("sample_rate must be positive, not ", rate, " [Op:EncodeWav]");
  const auto bytes = static_cast<uint32_t>(frames * channels * 2);
  std::string file = "RIFF";
  put_little(file, bytes + 36);
  file += "WAVEfmt ";
  put_little(file, uint32_t{16});
  put_little(file, uint16_t{1});  // plain numbers
  put_little(file, static_cast<uint16_t>(channels));
  put_little(file, static_cast<uint32_t>(rate));
  put_little(file, static_cast<uint32_t>(rate * channels * 2));
  put_little(file, static_cast<uint16_t>(channels * 2));
  put_little(file, uint16_t{16});
  file += "data";
  put_little(file, bytes);
  const float* samples = c.in<float>(0);
  for (int64_t i = 0; i < frames * channels; ++i) {
    const float scaled = std::isnan(samples[i]) ? 0.f : std::clamp(std::round(samples[i] * 32768.f), -32768.f, 32767.f);
    put_little(file, static_cast<uint16_t>(static_cast<int16_t>(scaled)));
  }
  *c.set_output(0, DType::kString, Shape()).data<std::string>() = std::move(file);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("WriteSummary", kAllTypes, write);
  on_cpu("WriteRawProtoSummary", kAllTypes,
         [](KernelContext& c) { writer(c).write_summary(*c.in<int64_t>(1), *c.in<std::string>(2)); });
  on_cpu("WriteGraphSummary", kAllTypes,
         [](KernelContext& c) { writer(c).write_graph(*c.in<int64_t>(1), *c.in<std::string>(2)); });
  on_cpu("FlushSummaryWriter", kAllTypes, [](KernelContext& c) { writer(c).flush(); });
  on_cpu("CloseSummaryWriter", kAllTypes, [](KernelContext& c) { writer(c).close(); });
  on_cpu("EncodePng", bit_of(DType::kUInt8), encode_png<uint8_t>);
  on_cpu("EncodePng", bit_of(DType::kUInt16), encode_png<uint16_t>);
  on_cpu("EncodeWav", bit_of(DType::kFloat32), encode_wav);
}

}  // namespace footlight::FL_ISA
