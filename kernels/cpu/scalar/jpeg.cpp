// JPEG files, by libjpeg, whose errors jump out of it: between the jump and its target nothing may have a destructor.
#include "engine/base/claimed_size.h"
#include "kernels/cpu/scalar/image_files.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <jpeglib.h>

namespace footlight::image_files {
namespace {

// The error that libjpeg reports when it gives up, and where execution continues.
struct Failure {
  jpeg_error_mgr manager;  // first: libjpeg gives back its address
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

void give_up(j_common_ptr info) {
  auto* failure = reinterpret_cast<Failure*>(info->err);
  (*info->err->format_message)(info, failure->message);
  std::longjmp(failure->back, 1);
}
void ignore_message(j_common_ptr) {}

void prepare(Failure& failure) {
  jpeg_std_error(&failure.manager);
  failure.manager.error_exit = give_up;
  failure.manager.output_message = ignore_message;
  failure.message[0] = 0;
}

// Runs a step that may give up; false if it did.
template <class Step>
bool attempt(Failure& failure, const Step& step) {
  if (setjmp(failure.back)) return false;
  step();
  return true;
}

struct Source {
  jpeg_source_mgr manager;
  bool recover;
};

void begin_source(j_decompress_ptr) {}
boolean no_more(j_decompress_ptr info) {
  auto* source = reinterpret_cast<Source*>(info->src);
  static const JOCTET end[] = {0xff, JPEG_EOI};
  if (!source->recover) {
    std::snprintf(reinterpret_cast<Failure*>(info->err)->message, JMSG_LENGTH_MAX, "the file ends too early");
    std::longjmp(reinterpret_cast<Failure*>(info->err)->back, 1);
  }
  source->manager.next_input_byte = end;
  source->manager.bytes_in_buffer = 2;
  return TRUE;
}
void skip(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  const auto some = std::min(static_cast<size_t>(count), info->src->bytes_in_buffer);
  info->src->next_input_byte += some;
  info->src->bytes_in_buffer -= some;
}

class JpegReader {
 public:
  JpegReader(std::string_view bytes, bool recover) {
    prepare(failure_);
    info_.err = &failure_.manager;
    if (!attempt(failure_, [&] { jpeg_create_decompress(&info_); })) refuse();
    source_.manager.init_source = begin_source;
    source_.manager.fill_input_buffer = no_more;
    source_.manager.skip_input_data = skip;
    source_.manager.resync_to_restart = jpeg_resync_to_restart;
    source_.manager.term_source = begin_source;
    source_.manager.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    source_.manager.bytes_in_buffer = bytes.size();
    source_.recover = recover;
    info_.src = &source_.manager;
    if (!attempt(failure_, [&] { jpeg_read_header(&info_, TRUE); })) {
      jpeg_destroy_decompress(&info_);
      refuse();
    }
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  jpeg_decompress_struct& info() { return info_; }
  template <class Step>
  void run(const Step& step) {
    if (!attempt(failure_, step)) refuse();
  }

 private:
  [[noreturn]] void refuse() { invalid("Invalid JPEG data: ", failure_.message, " [Op:DecodeJpeg]"); }
  Failure failure_;
  Source source_{};
  jpeg_decompress_struct info_{};
};

// Cyan, magenta, yellow and black as red, green and blue; the files of some programs have them inverted.
void from_cmyk(const uint8_t* from, uint8_t* to, int64_t pixels, bool inverted) {
  for (int64_t i = 0; i < pixels; ++i, from += 4, to += 3)
    for (int k = 0; k < 3; ++k)
      to[k] = static_cast<uint8_t>(inverted ? from[3] * from[k] / 255 : (255 - from[3]) * (255 - from[k]) / 255);
}

constexpr uint64_t kMaxCoefficientBytes = 4 * static_cast<uint64_t>(kMaxBytes);

// The memory that libjpeg needs for an image whose data comes in several scans: all coefficients in full size, however
// small the result is. Other images need only a few lines.
uint64_t coefficient_bytes(jpeg_decompress_struct& info) {
  if (!jpeg_has_multiple_scans(&info)) return 0;
  uint64_t bytes = 0;
  for (int k = 0; k < info.num_components; ++k)
    bytes += uint64_t{info.comp_info[k].width_in_blocks} * info.comp_info[k].height_in_blocks * sizeof(JBLOCK);
  return bytes;
}

}  // namespace

void decode_jpeg(std::string_view bytes, const JpegOptions& options, const Allocate& allocate) {
  JpegReader reading(bytes, options.recover_truncated);
  jpeg_decompress_struct& info = reading.info();
  const int channels = options.channels != 0 ? options.channels : std::min(info.num_components, 3) == 1 ? 1 : 3;
  const bool cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  if (cmyk && channels != 3) invalid("a CMYK image has no grayscale form here [Op:DecodeJpeg]");
  info.out_color_space = cmyk ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  info.do_fancy_upsampling = options.fancy_upscaling;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(options.ratio);
  info.dct_method = options.accurate ? JDCT_ISLOW : JDCT_IFAST;
  reading.run([&] { jpeg_calc_output_dimensions(&info); });
  const int64_t height = info.output_height, width = info.output_width;
  if (height <= 0 || width <= 0 || height * width * 4 >= kMaxBytes)
    invalid("Invalid JPEG data: an image of ", height, " x ", width, " pixels [Op:DecodeJpeg]");
  const uint64_t held = coefficient_bytes(info), wanted = static_cast<uint64_t>(height * width * channels);
  if (held > kMaxCoefficientBytes)
    invalid("Invalid JPEG data: a progressive image of ", info.image_height, " x ", info.image_width,
            " pixels is decoded whole, whatever the ratio, and takes ", bytes_text(held), " [Op:DecodeJpeg]");
  check_claimed_size(ErrorKind::kInvalidArgument, "Invalid JPEG data: the image", held + wanted, bytes.size(),
                     kMaxJpegRatio);
  uint8_t* const pixels = allocate(height, width, channels);
  std::vector<uint8_t> line(static_cast<size_t>(cmyk ? width * 4 : 0));
  const bool inverted = info.saw_Adobe_marker;
  int64_t row = 0;
  reading.run([&] {
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      uint8_t* to = pixels + row * width * channels;
      JSAMPROW target = cmyk ? line.data() : to;
      jpeg_read_scanlines(&info, &target, 1);
      if (cmyk) from_cmyk(line.data(), to, width, inverted);
      ++row;
    }
    jpeg_finish_decompress(&info);
  });
}

JpegShape jpeg_shape(std::string_view bytes) {
  JpegReader reading(bytes, false);
  return {reading.info().image_height, reading.info().image_width, reading.info().num_components};
}

std::string encode_jpeg(const uint8_t* pixels, int64_t height, int64_t width, int64_t channels,
                        const JpegEncoding& encoding) {
  if (height <= 0 || width <= 0 || height > JPEG_MAX_DIMENSION || width > JPEG_MAX_DIMENSION)
    fail(ErrorKind::kInternal, "an image of ", height, " x ", width,
         " pixels does not fit into a JPEG file [Op:EncodeJpeg]");
  Failure failure;
  prepare(failure);
  jpeg_compress_struct info{};
  info.err = &failure.manager;
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  static constexpr char kXmp[] = "http://ns.adobe.com/xap/1.0/";
  std::string marker;
  if (!encoding.xmp.empty()) marker = std::string(kXmp, sizeof kXmp) + encoding.xmp;
  if (marker.size() > 65533) invalid("the XMP metadata is too large for a JPEG file [Op:EncodeJpeg]");
  const bool made = attempt(failure, [&] {
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &memory, &size);
    info.image_width = static_cast<JDIMENSION>(width);
    info.image_height = static_cast<JDIMENSION>(height);
    info.input_components = static_cast<int>(channels);
    info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info);
    info.optimize_coding = encoding.optimize;
    info.density_unit = encoding.per_centimetre ? 2 : 1;
    info.X_density = static_cast<UINT16>(encoding.x_density);
    info.Y_density = static_cast<UINT16>(encoding.y_density);
    if (!encoding.chroma_downsampling)
      for (int k = 0; k < info.num_components; ++k)
        info.comp_info[k].h_samp_factor = info.comp_info[k].v_samp_factor = 1;
    jpeg_set_quality(&info, encoding.quality, TRUE);
    if (encoding.progressive) jpeg_simple_progression(&info);
    jpeg_start_compress(&info, TRUE);
    if (!marker.empty())
      jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(marker.data()),
                        static_cast<unsigned>(marker.size()));
    while (info.next_scanline < info.image_height) {
      auto* line = const_cast<JSAMPROW>(pixels + static_cast<int64_t>(info.next_scanline) * width * channels);
      jpeg_write_scanlines(&info, &line, 1);
    }
    jpeg_finish_compress(&info);
  });
  std::string file;
  if (made) file.assign(reinterpret_cast<const char*>(memory), size);
  jpeg_destroy_compress(&info);
  std::free(memory);
  if (!made) invalid("JPEG encoding failed: ", failure.message, " [Op:EncodeJpeg]");
  return file;
}

}  // namespace footlight::image_files
