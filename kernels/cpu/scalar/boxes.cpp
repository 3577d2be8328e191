// Kernels that choose among boxes.
#include "engine/base/thread_pool.h"
#include "kernels/cpu/register.h"
#include "kernels/functors/common.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;

// The intersection of two boxes [y1, x1, y2, x2], divided by their union.
float shared_area(const float* a, const float* b) {
  const float a_top = std::min(a[0], a[2]), a_left = std::min(a[1], a[3]), a_bottom = std::max(a[0], a[2]),
              a_right = std::max(a[1], a[3]);
  const float b_top = std::min(b[0], b[2]), b_left = std::min(b[1], b[3]), b_bottom = std::max(b[0], b[2]),
              b_right = std::max(b[1], b[3]);
  const float a_area = (a_bottom - a_top) * (a_right - a_left), b_area = (b_bottom - b_top) * (b_right - b_left);
  if (a_area <= 0 || b_area <= 0) return 0;
  const float common = std::max(std::min(a_bottom, b_bottom) - std::max(a_top, b_top), 0.f) *
                       std::max(std::min(a_right, b_right) - std::max(a_left, b_left), 0.f);
  return common / (a_area + b_area - common);
}

struct Candidate {
  int32_t box;
  float score;
  size_t compared;  // number of chosen boxes that it was compared with
  friend bool operator<(const Candidate& a, const Candidate& b) {  // whether b comes first
    return a.score != b.score ? a.score < b.score : a.box > b.box;
  }
};

struct Limits {
  int64_t most;
  float overlap, score, sigma = 0;
};

struct Chosen {
  std::vector<int32_t> boxes;
  std::vector<float> scores;
};

// Chooses the boxes with the best scores that do not overlap a better one; `similarity(a, b)` of two of them. With a
// sigma, scores decrease with the similarity instead.
template <class Similarity>
Chosen choose(const float* scores, int64_t stride, int64_t count, const Limits& limits, Similarity&& similarity) {
  std::vector<Candidate> queue;  // a heap
  for (int64_t i = 0; i < count; ++i)
    if (scores[i * stride] > limits.score) queue.push_back({static_cast<int32_t>(i), scores[i * stride], 0});
  std::make_heap(queue.begin(), queue.end());
  const bool soft = limits.sigma > 0;
  const float scale = soft ? -0.5f / limits.sigma : 0;
  Chosen chosen;
  while (static_cast<int64_t>(chosen.boxes.size()) < limits.most && !queue.empty()) {
    std::pop_heap(queue.begin(), queue.end());
    Candidate next = queue.back();
    queue.pop_back();
    const float before = next.score;
    bool dropped = false;
    for (size_t j = chosen.boxes.size(); j-- > next.compared;) {
      const float both = similarity(next.box, chosen.boxes[j]);
      next.score *= std::exp(scale * both * both);
      if (!soft && both > limits.overlap) {
        dropped = true;
        break;
      }
      if (next.score <= limits.score) break;
    }
    next.compared = chosen.boxes.size();
    if (dropped) continue;
    if (next.score == before) {
      chosen.boxes.push_back(next.box);
      chosen.scores.push_back(next.score);
    } else if (next.score > limits.score) {
      queue.push_back(next);
      std::push_heap(queue.begin(), queue.end());
    }
  }
  return chosen;
}

std::vector<float> floats_of(const Tensor& t) {
  std::vector<float> values(static_cast<size_t>(t.elements()));
  if (t.dtype() == DType::kFloat16)
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(t.data<Float16>()[i]);
  else
    std::copy_n(t.data<float>(), values.size(), values.begin());
  return values;
}

float threshold(const KernelContext& c, float value) {
  if (!(value >= 0 && value <= 1)) invalid("iou_threshold must be in [0, 1], got ", value, " [Op:", c.row.name, "]");
  return value;
}
int64_t most_of(const KernelContext& c) {
  const int32_t most = *c.in<int32_t>(2);
  if (most < 0) invalid("max_output_size must be non-negative, got ", most, " [Op:", c.row.name, "]");
  return most;
}

Limits limits_of(const KernelContext& c) {
  Limits limits{most_of(c), threshold(c, floats_of(c.inputs[3])[0]), floats_of(c.inputs[4])[0]};
  if (c.inputs.size() > 5) limits.sigma = floats_of(c.inputs[5])[0];
  if (limits.sigma < 0) invalid("soft_nms_sigma must be non-negative, got ", limits.sigma, " [Op:", c.row.name, "]");
  return limits;
}

void write_chosen(KernelContext& c, const Chosen& chosen, bool padded, int64_t most) {
  const auto found = static_cast<int64_t>(chosen.boxes.size());
  const Shape length{padded ? most : found};
  auto* boxes = c.set_output(0, DType::kInt32, length).data<int32_t>();
  std::fill(std::copy(chosen.boxes.begin(), chosen.boxes.end(), boxes), boxes + length[0], 0);
  if (c.outputs.size() == 3) {
    const DType type = c.inputs[1].dtype();
    Tensor& scores = c.set_output(1, type, length);
    for (int64_t i = 0; i < length[0]; ++i) {
      const float score = i < found ? chosen.scores[static_cast<size_t>(i)] : 0;
      if (type == DType::kFloat16) scores.data<Float16>()[i] = static_cast<Float16>(score);
      else scores.data<float>()[i] = score;
    }
  }
  if (c.outputs.size() > 1)
    *c.set_output(c.outputs.size() - 1, DType::kInt32, Shape{}).data<int32_t>() = static_cast<int32_t>(found);
}

void suppress(KernelContext& c) {
  const Limits limits = limits_of(c);
  const std::vector<float> boxes = floats_of(c.inputs[0]), scores = floats_of(c.inputs[1]);
  const Chosen chosen = choose(scores.data(), 1, c.inputs[1].elements(), limits, [&](int32_t a, int32_t b) {
    return shared_area(boxes.data() + int64_t{4} * a, boxes.data() + int64_t{4} * b);
  });
  write_chosen(c, chosen, c.attrs.get_or("pad_to_max_output_size"_attr, false), limits.most);
}

void suppress_overlapping(KernelContext& c) {
  const Limits limits{most_of(c), *c.in<float>(3), *c.in<float>(4)};
  const int64_t count = c.inputs[1].elements();
  const float* overlaps = c.in<float>(0);
  const Chosen chosen = choose(c.in<float>(1), 1, count, limits,
                               [&](int32_t a, int32_t b) { return overlaps[a * count + b]; });
  write_chosen(c, chosen, false, limits.most);
}

void suppress_combined(KernelContext& c) {
  const Shape &boxes = c.inputs[0].shape(), &scores = c.inputs[1].shape();
  const int64_t batch = boxes[0], count = boxes[1], kinds = boxes[2], classes = scores[2];
  if (scores[0] != batch || scores[1] != count)
    invalid("boxes and scores must have the same batch and number of boxes: ", boxes.brackets(), " and ",
            scores.brackets(), " [Op:", c.row.name, "]");
  const int64_t total = *c.in<int32_t>(3);
  const Limits limits{most_of(c), threshold(c, *c.in<float>(4)), *c.in<float>(5)};
  if (total <= 0) invalid("max_total_size must be > 0, got ", total, " [Op:", c.row.name, "]");
  const int64_t length = c.attrs.get_or("pad_per_class"_attr, false) ? std::min(total, limits.most * classes) : total;
  const bool clip = c.attrs.get_or("clip_boxes"_attr, true);
  for (size_t k = 0; k < 3; ++k) {
    Tensor& t = c.set_output(k, DType::kFloat32, k == 0 ? Shape{batch, length, 4} : Shape{batch, length});
    std::fill_n(t.data<float>(), t.elements(), 0.f);
  }
  auto* valid = c.set_output(3, DType::kInt32, Shape{batch}).data<int32_t>();
  parallel_for(batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      struct Found {
        float score;
        const float* box;
        int64_t label;
      };
      std::vector<Found> all;
      for (int64_t label = 0; label < classes; ++label) {
        const float* first = c.in<float>(0) + (n * count * kinds + (kinds > 1 ? label : 0)) * 4;
        const Chosen chosen = choose(c.in<float>(1) + n * count * classes + label, classes, count, limits,
                                     [&](int32_t a, int32_t b) {
                                       return shared_area(first + a * kinds * 4, first + b * kinds * 4);
                                     });
        for (size_t i = 0; i < chosen.boxes.size(); ++i)
          all.push_back({chosen.scores[i], first + chosen.boxes[i] * kinds * 4, label});
      }
      std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.score > b.score; });
      const int64_t kept = std::min<int64_t>(static_cast<int64_t>(all.size()), length);
      for (int64_t i = 0; i < kept; ++i) {
        const Found& one = all[static_cast<size_t>(i)];
        for (int k = 0; k < 4; ++k) {
          const float place = one.box[k];
          c.out<float>(0)[(n * length + i) * 4 + k] = clip ? std::max(std::min(place, 1.f), 0.f) : place;
        }
        c.out<float>(1)[n * length + i] = one.score;
        c.out<float>(2)[n * length + i] = static_cast<float>(one.label);
      }
      valid[n] = static_cast<int32_t>(kept);
    }
  });
}

}  // namespace

FL_CPU_KERNELS {
  constexpr uint32_t kBoth = dtype_set(DType::kFloat16, DType::kFloat32);
  for (const char* op : {"NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5"})
    on_cpu(op, kBoth, suppress);
  on_cpu("NonMaxSuppressionWithOverlaps", bit_of(DType::kFloat32), suppress_overlapping);
  on_cpu("CombinedNonMaxSuppression", bit_of(DType::kFloat32), suppress_combined);
}

}  // namespace footlight::FL_ISA
