// Kernels that read and write files of images.
#include "kernels/cpu/scalar/image_files.h"
#include "kernels/cpu/register.h"

#include <algorithm>
#include <vector>

namespace footlight::FL_ISA {

namespace {

namespace files = image_files;

const std::string& contents_of(const KernelContext& c) { return *c.in<std::string>(0); }

int channels_of(const KernelContext& c) { return static_cast<int>(c.attrs.get_or("channels"_attr, int64_t{0})); }

// Allocates output 0 once its size is known.
files::Allocate output_of(KernelContext& c, DType dtype) {
  return [&c, dtype](int64_t height, int64_t width, int64_t channels) {
    return static_cast<uint8_t*>(c.set_output(0, dtype, Shape{height, width, channels}).raw());
  };
}

files::JpegOptions jpeg_options(const KernelContext& c) {
  const std::string method = c.attrs.get_or("dct_method"_attr, std::string());
  if (!method.empty() && method != "INTEGER_FAST" && method != "INTEGER_ACCURATE")
    invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'} [Op:", c.row.name, "]");
  return {channels_of(c), static_cast<int>(c.attrs.get_or("ratio"_attr, int64_t{1})),
          c.attrs.get_or("fancy_upscaling"_attr, true), c.attrs.get_or("try_recover_truncated"_attr, false),
          method == "INTEGER_ACCURATE"};
}

// Decoded pixels in memory of their own.
struct DecodedImage {
  std::vector<uint8_t> pixels;
  int64_t height = 0, width = 0, channels = 0;
  files::Allocate allocate() {
    return [this](int64_t h, int64_t w, int64_t k) {
      height = h, width = w, channels = k;
      pixels.resize(static_cast<size_t>(h * w * k));
      return pixels.data();
    };
  }
};

void decode_jpeg(KernelContext& c) { files::decode_jpeg(contents_of(c), jpeg_options(c), output_of(c, DType::kUInt8)); }

void decode_cropped_jpeg(KernelContext& c) {
  if (c.inputs[1].elements() != 4) invalid("crop_window must have four elements [Op:DecodeAndCropJpeg]");
  const auto* window = c.in<int32_t>(1);
  DecodedImage whole;
  files::decode_jpeg(contents_of(c), jpeg_options(c), whole.allocate());
  const int64_t top = window[0], left = window[1], height = window[2], width = window[3];
  if (top < 0 || left < 0 || height <= 0 || width <= 0 || top + height > whole.height || left + width > whole.width)
    invalid("Invalid JPEG data or crop window: the image has ", whole.height, " x ", whole.width,
            " pixels [Op:DecodeAndCropJpeg]");
  auto* to = output_of(c, DType::kUInt8)(height, width, whole.channels);
  for (int64_t y = 0; y < height; ++y)
    to = std::copy_n(whole.pixels.data() + ((top + y) * whole.width + left) * whole.channels, width * whole.channels,
                     to);
}

void decode_png(KernelContext& c) {
  const DType dtype = c.attrs.get_or("dtype"_attr, DType::kUInt8);
  files::decode_png(contents_of(c), channels_of(c), dtype == DType::kUInt16, output_of(c, dtype));
}

void decode_bmp(KernelContext& c) { files::decode_bmp(contents_of(c), channels_of(c), output_of(c, DType::kUInt8)); }

void decode_gif(KernelContext& c) {
  files::decode_gif(contents_of(c), false, [&](int64_t frames, int64_t height, int64_t width) {
    return c.set_output(0, DType::kUInt8, Shape{frames, height, width, 3}).data<uint8_t>();
  });
}

// Converts bytes to the elements of the wanted dtype.
void convert(const std::vector<uint8_t>& from, Tensor& to) {
  if (to.dtype() == DType::kUInt8)
    std::copy(from.begin(), from.end(), to.data<uint8_t>());
  else if (to.dtype() == DType::kUInt16)
    std::transform(from.begin(), from.end(), to.data<uint16_t>(),
                   [](uint8_t x) { return static_cast<uint16_t>(x * 256); });
  else
    std::transform(from.begin(), from.end(), to.data<float>(),
                   [](uint8_t x) { return static_cast<float>(x) * (1.f / 255); });
}

void decode_image(KernelContext& c) {
  const std::string& bytes = contents_of(c);
  const DType dtype = c.attrs.get_or("dtype"_attr, DType::kUInt8);
  const int channels = channels_of(c);
  DecodedImage held;
  if (files::is_png(bytes)) {
    if (dtype != DType::kFloat32)
      return files::decode_png(bytes, channels, dtype == DType::kUInt16, output_of(c, dtype));
    std::vector<uint16_t> wide;
    Shape shape;
    files::decode_png(bytes, channels, true, [&](int64_t h, int64_t w, int64_t k) {
      shape = Shape{h, w, k};
      wide.resize(static_cast<size_t>(h * w * k));
      return reinterpret_cast<uint8_t*>(wide.data());
    });
    float* to = c.set_output(0, dtype, shape).data<float>();
    std::transform(wide.begin(), wide.end(), to, [](uint16_t x) { return static_cast<float>(x) * (1.f / 65535); });
    return;
  }
  if (files::is_gif(bytes)) {
    if (channels != 0 && channels != 3) invalid("channels must be 0 or 3 for GIF, got ", channels, " [Op:DecodeImage]");
    const bool all = c.attrs.get_or("expand_animations"_attr, true);
    Shape shape;
    files::decode_gif(bytes, !all, [&](int64_t frames, int64_t height, int64_t width) {
      shape = all ? Shape{frames, height, width, 3} : Shape{height, width, 3};
      held.pixels.resize(static_cast<size_t>(shape.elements()));
      return held.pixels.data();
    });
    return convert(held.pixels, c.set_output(0, dtype, shape));
  }
  if (files::is_jpeg(bytes)) {
    if (channels == 4) invalid("channels must be 0, 1 or 3 for JPEG, got 4 [Op:DecodeImage]");
    files::JpegOptions options;
    options.channels = channels;
    files::decode_jpeg(bytes, options, held.allocate());
  } else if (files::is_bmp(bytes)) {
    files::decode_bmp(bytes, channels, held.allocate());
  } else {
    invalid("Unknown image file format. One of JPEG, PNG, GIF, BMP required. [Op:DecodeImage]");
  }
  convert(held.pixels, c.set_output(0, dtype, Shape{held.height, held.width, held.channels}));
}

void jpeg_shape(KernelContext& c) {
  const files::JpegShape shape = files::jpeg_shape(contents_of(c));
  const int64_t sizes[] = {shape.height, shape.width, shape.channels};
  if (c.outputs[0].dtype() == DType::kInt32) std::copy(sizes, sizes + 3, c.out<int32_t>());
  else std::copy(sizes, sizes + 3, c.out<int64_t>());
}

void write_jpeg(KernelContext& c, const files::JpegEncoding& encoding, int64_t wanted) {
  const Shape& shape = c.inputs[0].shape();
  const int64_t channels = shape[2];
  if ((channels != 1 && channels != 3) || (wanted != 0 && channels != wanted))
    invalid("image must have 1 or 3 channels, as its format says, got ", channels, " [Op:", c.row.name, "]");
  if (encoding.quality < 0 || encoding.quality > 100)
    invalid("quality must be in [0,100], got ", encoding.quality, " [Op:", c.row.name, "]");
  *c.out<std::string>() = files::encode_jpeg(c.in<uint8_t>(0), shape[0], shape[1], channels, encoding);
}

void encode_jpeg(KernelContext& c) {
  const std::string format = c.attrs.get_or("format"_attr, std::string());
  if (!format.empty() && format != "grayscale" && format != "rgb")
    invalid("format must be '', grayscale or rgb, got ", format, " [Op:EncodeJpeg]");
  const auto small = [&](AttrName name, int64_t otherwise) {
    return static_cast<int>(std::clamp<int64_t>(c.attrs.get_or(name, otherwise), -1, 65535));
  };
  write_jpeg(c,
             {small("quality"_attr, 95), c.attrs.get_or("progressive"_attr, false),
              c.attrs.get_or("optimize_size"_attr, false), c.attrs.get_or("chroma_downsampling"_attr, true),
              c.attrs.get_or("density_unit"_attr, std::string("in")) == "cm", small("x_density"_attr, 300),
              small("y_density"_attr, 300), c.attrs.get_or("xmp_metadata"_attr, std::string())},
             format == "grayscale" ? 1
             : format == "rgb"     ? 3
                                   : 0);
}

void encode_jpeg_of_quality(KernelContext& c) {
  files::JpegEncoding encoding;
  encoding.quality = *c.in<int32_t>(1);
  write_jpeg(c, encoding, 0);
}

}  // namespace

FL_CPU_KERNELS {
  constexpr uint32_t kText = bit_of(DType::kString), kBytes = bit_of(DType::kUInt8);
  on_cpu("DecodeJpeg", kText, decode_jpeg);
  on_cpu("DecodeAndCropJpeg", kText, decode_cropped_jpeg);
  on_cpu("DecodePng", kText, decode_png);
  on_cpu("DecodeBmp", kText, decode_bmp);
  on_cpu("DecodeGif", kText, decode_gif);
  on_cpu("DecodeImage", kText, decode_image);
  on_cpu("ExtractJpegShape", kText, jpeg_shape);
  on_cpu("EncodeJpeg", kBytes, encode_jpeg);
  on_cpu("EncodeJpegVariableQuality", kBytes, encode_jpeg_of_quality);
}

}  // namespace footlight::FL_ISA
