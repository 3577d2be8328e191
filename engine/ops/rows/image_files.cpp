// Rows that read and write files of images.
#include "engine/ops/define.h"
#include "engine/ops/infer.h"

namespace footlight {
namespace {

int64_t channels_of(Inference& i, std::initializer_list<int64_t> allowed) {
  infer::check_rank(i, 0, 0);
  const int64_t channels = i.attrs.get_or("channels"_attr, int64_t{0});
  std::string list;
  for (const int64_t one : allowed) {
    if (one == channels) return channels == 0 ? kUnknownDim : channels;
    append_to(list, str(list.empty() ? "" : ", ", one));
  }
  invalid("channels must be one of ", list, ", got ", channels, " [Op:", i.row.name, "]");
}

void jpeg_shape(Inference& i) {
  const int64_t ratio = i.attrs.get_or("ratio"_attr, int64_t{1});
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
    invalid("ratio must be 1, 2, 4, or 8, got ", ratio, " [Op:", i.row.name, "]");
  i.output_shapes[0] = Shape{kUnknownDim, kUnknownDim, channels_of(i, {0, 1, 3})};
  if (i.inputs.size() > 1) {
    infer::check_rank(i, 1, 1);
    if (const auto window = infer::constant_ints(i, 1); window && window->size() == 4) {
      i.output_shapes[0].set(0, (*window)[2] >= 0 ? (*window)[2] : kUnknownDim);
      i.output_shapes[0].set(1, (*window)[3] >= 0 ? (*window)[3] : kUnknownDim);
    }
  }
}
void png_shape(Inference& i) {
  i.output_shapes[0] = Shape{kUnknownDim, kUnknownDim, channels_of(i, {0, 1, 3, 4})};
}
void bmp_shape(Inference& i) {
  i.output_shapes[0] = Shape{kUnknownDim, kUnknownDim, channels_of(i, {0, 1, 3, 4})};
}
void gif_shape(Inference& i) {
  infer::check_rank(i, 0, 0);
  i.output_shapes[0] = Shape{kUnknownDim, kUnknownDim, kUnknownDim, 3};
}
void any_file_shape(Inference& i) {
  const int64_t channels = channels_of(i, {0, 1, 3, 4});
  i.output_shapes[0] = i.attrs.get_or("expand_animations"_attr, true) ? Shape::unknown_rank()
                                                               : Shape{kUnknownDim, kUnknownDim, channels};
}
void three_numbers(Inference& i) {
  infer::check_rank(i, 0, 0);
  i.output_shapes[0] = Shape{3};
}
void one_file(Inference& i) {
  infer::check_rank(i, 0, 3);
  if (i.inputs.size() > 1) infer::check_rank(i, 1, 0);
  i.output_shapes[0] = Shape{};
}

}  // namespace

FL_ROWS(image_files) {
  constexpr const char* kJpeg =
      "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; try_recover_truncated: bool = false; "
      "acceptable_fraction: float = 1; dct_method: string = \"\"";
  const RowDef::Properties host{.zero_gradient = true, .host_only = true};
  return {
      {"DecodeJpeg", "contents: string -> image: uint8", kJpeg, jpeg_shape, nullptr, OpFamily::kIo,
       "the image in a JPEG file", host},
      {"DecodeAndCropJpeg", "contents: string, crop_window: int32 -> image: uint8", kJpeg, jpeg_shape, nullptr,
       OpFamily::kIo, "a part [y, x, height, width] of the image in a JPEG file",
       {.host_inputs = 2, .zero_gradient = true, .host_only = true}},
      {"DecodePng", "contents: string -> image: dtype", "channels: int = 0; dtype: uint8|uint16 = uint8", png_shape,
       nullptr, OpFamily::kIo, "the image in a PNG file", host},
      {"DecodeBmp", "contents: string -> image: uint8", "channels: int = 0", bmp_shape, nullptr, OpFamily::kIo,
       "the image in a BMP file", host},
      {"DecodeGif", "contents: string -> image: uint8", "", gif_shape, nullptr, OpFamily::kIo,
       "the images in a GIF file", host},
      {"DecodeImage", "contents: string -> image: dtype",
       "channels: int = 0; dtype: uint8|uint16|float32 = uint8; expand_animations: bool = true", any_file_shape,
       nullptr, OpFamily::kIo, "the image in a file whose first bytes say of which kind it is", host},
      {"ExtractJpegShape", "contents: string -> image_shape: output_type", "output_type: index = int32", three_numbers,
       nullptr, OpFamily::kIo, "height, width and channels of a JPEG file", host},
      {"EncodeJpeg", "image: uint8 -> contents: string",
       "format: string = \"\"; quality: int = 95; progressive: bool = false; optimize_size: bool = false; "
       "chroma_downsampling: bool = true; density_unit: string = \"in\"; x_density: int = 300; y_density: int = 300; "
       "xmp_metadata: string = \"\"",
       one_file, nullptr, OpFamily::kIo, "an image as a JPEG file", host},
      {"EncodeJpegVariableQuality", "images: uint8, quality: int32 -> contents: string", "", one_file, nullptr,
       OpFamily::kIo, "an image as a JPEG file of some quality", host},
  };
}

}  // namespace footlight
