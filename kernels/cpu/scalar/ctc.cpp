// Kernels of connectionist temporal classification. Probabilities are logarithms throughout.
#include "engine/base/thread_pool.h"
#include "kernels/cpu/register.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <vector>

namespace footlight::FL_ISA {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  if (a == kNever) return b;
  if (b == kNever) return a;
  const double larger = std::max(a, b);
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// The logarithms of the probabilities of all classes at one moment.
template <class T>
void normalize(const T* scores, int64_t classes, double* out) {
  const double largest = static_cast<double>(*std::max_element(scores, scores + classes));
  double sum = 0;
  for (int64_t k = 0; k < classes; ++k) sum += std::exp(static_cast<double>(scores[k]) - largest);
  const double shift = largest + std::log(sum);
  for (int64_t k = 0; k < classes; ++k) out[k] = static_cast<double>(scores[k]) - shift;
}

using Labels = std::vector<int32_t>;

struct Loss {
  bool collapse, merge, ignore;
  int64_t time, batch, classes;
};

// The labels of each sequence out of a sparse matrix.
std::vector<Labels> labels_of(const KernelContext& c, const Loss& loss) {
  std::vector<Labels> all(static_cast<size_t>(loss.batch));
  const int64_t count = c.inputs[2].elements();
  if (c.inputs[1].shape()[0] != count || c.inputs[1].shape()[1] != 2)
    invalid("labels_indices must be [", count, ",2], its shape is ", c.inputs[1].shape().brackets(), " [Op:CTCLoss]");
  const auto *places = c.in<int64_t>(1);
  const auto *values = c.in<int32_t>(2);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = places[2 * i];
    if (row < 0 || row >= loss.batch)
      invalid("labels batch index must be between 0 and ", loss.batch, " but saw: ", row, " [Op:CTCLoss]");
    if (values[i] < 0 || values[i] >= loss.classes - 1)
      invalid("Saw a non-null label (index >= num_classes - 1) following a null label, batch: ", row,
              " num_classes: ", loss.classes, " label: ", values[i], " [Op:CTCLoss]");
    Labels& labels = all[static_cast<size_t>(row)];
    if (!loss.collapse || labels.empty() || labels.back() != values[i]) labels.push_back(values[i]);
  }
  return all;
}

// Runs forward and backward over the labels with a blank between any two. Computes the loss and its derivative by each
// score.
template <class T>
void one_loss(const Loss& loss, const T* scores, const Labels& labels, int64_t length, T* result, T* slopes) {
  const int64_t row = loss.batch * loss.classes, classes = loss.classes;
  *result = 0;
  for (int64_t t = 0; t < loss.time; ++t) std::fill(slopes + t * row, slopes + t * row + classes, T(0));
  int64_t needed = static_cast<int64_t>(labels.size());
  if (loss.merge)
    for (size_t k = 1; k < labels.size(); ++k) needed += labels[k] == labels[k - 1];
  if (needed > length) {
    if (!loss.ignore)
      invalid("Not enough time for target transition sequence (required: ", needed, ", available: ", length,
              "). ignore_longer_outputs_than_inputs turns this error into a loss of zero [Op:CTCLoss]");
    return;
  }
  if (length == 0) return;
  const auto blank = static_cast<int32_t>(classes - 1);
  Labels states(2 * labels.size() + 1, blank);
  for (size_t k = 0; k < labels.size(); ++k) states[2 * k + 1] = labels[k];
  const auto count = static_cast<int64_t>(states.size());
  const auto state = [&](int64_t u) { return states[static_cast<size_t>(u)]; };
  const auto stays = [&](int64_t u) { return loss.merge || state(u) == blank; };
  // Whether state u may follow u - 2 at once.
  const auto skips = [&](int64_t u) {
    return u > 1 && state(u) != blank && !(loss.merge && state(u) == state(u - 2));
  };
  std::vector<double> p(static_cast<size_t>(length * classes));
  for (int64_t t = 0; t < length; ++t) normalize(scores + t * row, classes, p.data() + t * classes);
  const auto at = [&](int64_t t, int64_t u) { return p[static_cast<size_t>(t * classes + state(u))]; };
  std::vector<double> ahead(static_cast<size_t>(length * count), kNever), back(ahead);
  const auto forward = [&](int64_t t, int64_t u) -> double& { return ahead[static_cast<size_t>(t * count + u)]; };
  const auto backward = [&](int64_t t, int64_t u) -> double& { return back[static_cast<size_t>(t * count + u)]; };
  for (int64_t u = 0; u < std::min<int64_t>(2, count); ++u) forward(0, u) = at(0, u);
  for (int64_t t = 1; t < length; ++t)
    for (int64_t u = 0; u < count; ++u) {
      double sum = stays(u) ? forward(t - 1, u) : kNever;
      if (u > 0) sum = log_add(sum, forward(t - 1, u - 1));
      if (skips(u)) sum = log_add(sum, forward(t - 1, u - 2));
      forward(t, u) = sum + at(t, u);
    }
  for (int64_t u = std::max<int64_t>(0, count - 2); u < count; ++u) backward(length - 1, u) = 0;
  for (int64_t t = length - 1; t-- > 0;)
    for (int64_t u = 0; u < count; ++u) {
      double sum = stays(u) ? backward(t + 1, u) + at(t + 1, u) : kNever;
      if (u + 1 < count) sum = log_add(sum, backward(t + 1, u + 1) + at(t + 1, u + 1));
      if (u + 2 < count && skips(u + 2)) sum = log_add(sum, backward(t + 1, u + 2) + at(t + 1, u + 2));
      backward(t, u) = sum;
    }
  double total = kNever;
  for (int64_t u = 0; u < count; ++u) total = log_add(total, forward(0, u) + backward(0, u));
  *result = static_cast<T>(-total);
  std::vector<double> shares(static_cast<size_t>(classes));
  for (int64_t t = 0; t < length; ++t) {
    std::fill(shares.begin(), shares.end(), kNever);
    for (int64_t u = 0; u < count; ++u) {
      double& share = shares[static_cast<size_t>(state(u))];
      share = log_add(share, forward(t, u) + backward(t, u));
    }
    for (int64_t k = 0; k < classes; ++k) {
      const double expected = total == kNever ? 0 : std::exp(shares[static_cast<size_t>(k)] - total);
      slopes[t * row + k] = static_cast<T>(std::exp(p[static_cast<size_t>(t * classes + k)]) - expected);
    }
  }
}

void check_lengths(const KernelContext& c, size_t input, int64_t time) {
  const auto* lengths = c.in<int32_t>(input);
  for (int64_t b = 0; b < c.inputs[input].elements(); ++b)
    if (lengths[b] < 0 || lengths[b] > time)
      invalid("sequence_length(", b, ") must be between 0 and ", time, ", it is ", lengths[b], " [Op:", c.row.name,
              "]");
}

template <class T>
void loss(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const Loss how{c.attrs.get_or("preprocess_collapse_repeated"_attr, false),
                 c.attrs.get_or("ctc_merge_repeated"_attr, true),
                 c.attrs.get_or("ignore_longer_outputs_than_inputs"_attr, false),
                 in[0],
                 in[1],
                 in[2]};
  if (how.classes < 1) invalid("there must be a class for the blank [Op:CTCLoss]");
  check_lengths(c, 3, how.time);
  const std::vector<Labels> labels = labels_of(c, how);
  parallel_for(how.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      one_loss(how, c.in<T>(0) + b * how.classes, labels[static_cast<size_t>(b)], c.in<int32_t>(3)[b], c.out<T>(0) + b,
               c.out<T>(1) + b * how.classes);
  });
}

// Writes sequences of labels as the parts of a sparse matrix, in outputs `first`, `first + step`, `first + 2 * step`.
void write_sparse(KernelContext& c, size_t first, size_t step, const std::vector<Labels>& sequences) {
  int64_t count = 0, longest = 0;
  for (const Labels& one : sequences) {
    count += static_cast<int64_t>(one.size());
    longest = std::max<int64_t>(longest, static_cast<int64_t>(one.size()));
  }
  auto* places = c.set_output(first, DType::kInt64, Shape{count, 2}).data<int64_t>();
  auto* values = c.set_output(first + step, DType::kInt64, Shape{count}).data<int64_t>();
  for (size_t b = 0; b < sequences.size(); ++b)
    for (size_t k = 0; k < sequences[b].size(); ++k) {
      *places++ = static_cast<int64_t>(b);
      *places++ = static_cast<int64_t>(k);
      *values++ = sequences[b][k];
    }
  auto* shape = c.set_output(first + 2 * step, DType::kInt64, Shape{2}).data<int64_t>();
  shape[0] = static_cast<int64_t>(sequences.size());
  shape[1] = longest;
}

template <class T>
void greedy(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const int64_t batch = in[1], classes = in[2];
  check_lengths(c, 1, in[0]);
  int64_t blank = c.attrs.get_or("blank_index"_attr, int64_t{-1});
  if (blank < 0) blank += classes;
  if (blank < 0 || blank >= classes)
    invalid("blank_index expected to be between ", -classes, " and ", classes - 1, " [Op:CTCGreedyDecoder]");
  const bool merge = c.attrs.get_or("merge_repeated"_attr, false);
  std::vector<Labels> found(static_cast<size_t>(batch));
  for (int64_t b = 0; b < batch; ++b) {
    T sum = 0;
    int64_t before = -1;
    for (int64_t t = 0; t < c.in<int32_t>(1)[b]; ++t) {
      const T* scores = c.in<T>(0) + (t * batch + b) * classes;
      const T* best = std::max_element(scores, scores + classes);
      const int64_t label = best - scores;
      sum -= *best;
      if (label != blank && !(merge && label == before))
        found[static_cast<size_t>(b)].push_back(static_cast<int32_t>(label));
      before = label;
    }
    c.set_output(3, c.inputs[0].dtype(), Shape{batch, 1}).template data<T>()[b] = sum;
  }
  if (batch == 0) c.set_output(3, c.inputs[0].dtype(), Shape{0, 1});
  write_sparse(c, 0, 1, found);
}

// A sequence of labels that the search follows, as its last label and the sequence before that.
struct Beam {
  struct Probability {
    double total = kNever, blank = kNever, label = kNever;  // ending with a blank, with the label
  };
  Beam* parent;
  int32_t label;
  Probability before, now;
  std::map<int32_t, Beam*> children;
  bool active() const { return now.total != kNever; }
};

class Search {
 public:
  explicit Search(size_t width) : width_(width) {
    beams_.push_back({nullptr, -1, {}, {0, 0, kNever}, {}});
    leaves_.push_back(&beams_.back());
  }

  void step(const double* p, int32_t blank) {
    std::stable_sort(leaves_.begin(), leaves_.end(), better);
    const std::vector<Beam*> branches = std::move(leaves_);
    leaves_.clear();
    for (Beam* b : branches) b->before = b->now;
    for (Beam* b : branches) {
      if (b->parent) {
        if (b->parent->active()) {
          const bool repeated = b->label == b->parent->label;
          b->now.label = log_add(b->now.label, repeated ? b->parent->before.blank : b->parent->before.total);
        }
        b->now.label += p[b->label];
      }
      b->now.blank = b->before.total + p[blank];
      b->now.total = log_add(b->now.blank, b->now.label);
      leaves_.push_back(b);
    }
    std::make_heap(leaves_.begin(), leaves_.end(), better);
    for (Beam* b : branches) {
      if (!worth(b->before.total)) continue;
      for (int32_t label = 0; label < blank; ++label) {
        const auto known = b->children.find(label);
        if (known != b->children.end() && known->second->active()) continue;
        const double total = p[label] + (label == b->label ? b->before.blank : b->before.total);
        if (!worth(total)) {
          if (known != b->children.end()) known->second->before = {};  // it is not followed either
          continue;
        }
        Beam* child = known != b->children.end() ? known->second : add(b, label);
        child->now = {total, kNever, total};
        if (leaves_.size() == width_) {
          std::pop_heap(leaves_.begin(), leaves_.end(), better);
          leaves_.back()->now = {};
          leaves_.pop_back();
        }
        leaves_.push_back(child);
        std::push_heap(leaves_.begin(), leaves_.end(), better);
      }
    }
  }

  std::vector<Beam*> best() {
    std::stable_sort(leaves_.begin(), leaves_.end(), better);
    return leaves_;
  }

 private:
  static bool better(const Beam* a, const Beam* b) { return a->now.total > b->now.total; }
  bool worth(double total) const {
    if (total == kNever) return false;
    return leaves_.size() < width_ || total > leaves_.front()->now.total;
  }
  Beam* add(Beam* parent, int32_t label) {
    beams_.push_back({parent, label, {}, {}, {}});
    return parent->children[label] = &beams_.back();
  }
  size_t width_;
  std::deque<Beam> beams_;  // their addresses stay
  std::vector<Beam*> leaves_;  // a heap with the least likely on top
};

template <class T>
void beam_search(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const int64_t batch = in[1], classes = in[2];
  check_lengths(c, 1, in[0]);
  if (classes < 1) invalid("there must be a class for the blank [Op:CTCBeamSearchDecoder]");
  const auto paths = static_cast<size_t>(c.attrs.get<int64_t>("top_paths"_attr));
  const auto width = static_cast<size_t>(c.attrs.get<int64_t>("beam_width"_attr));
  if (paths > width)
    invalid("requested more paths than the beam width: ", paths, " > ", width, " [Op:", c.row.name, "]");
  const bool merge = c.attrs.get_or("merge_repeated"_attr, true);
  std::vector<std::vector<Labels>> found(paths, std::vector<Labels>(static_cast<size_t>(batch)));
  T* logs = c.set_output(3 * paths, c.inputs[0].dtype(), Shape{batch, static_cast<int64_t>(paths)}).template data<T>();
  parallel_for(batch, 1, [&](int64_t begin, int64_t end) {
    std::vector<double> p(static_cast<size_t>(classes));
    for (int64_t b = begin; b < end; ++b) {
      Search search(width);
      for (int64_t t = 0; t < c.in<int32_t>(1)[b]; ++t) {
        normalize(c.in<T>(0) + (t * batch + b) * classes, classes, p.data());
        search.step(p.data(), static_cast<int32_t>(classes - 1));
      }
      const std::vector<Beam*> best = search.best();
      if (best.size() < paths)
        invalid("Less leaves in the beam search than requested. Have: ", best.size(), ", requested: ", paths, " [Op:",
                c.row.name, "]");
      for (size_t k = 0; k < paths; ++k) {
        Labels& labels = found[k][static_cast<size_t>(b)];
        int32_t before = -1;
        for (const Beam* at = best[k]; at->parent; at = at->parent) {
          if (!merge || at->label != before) labels.push_back(at->label);
          before = at->label;
        }
        std::reverse(labels.begin(), labels.end());
        logs[static_cast<size_t>(b) * paths + k] = static_cast<T>(best[k]->now.total);
      }
    }
  });
  for (size_t k = 0; k < paths; ++k) write_sparse(c, k, paths, found[k]);
}

template <class T>
void both(DType dtype) {
  on_cpu("CTCLoss", bit_of(dtype), loss<T>);
  on_cpu("CTCGreedyDecoder", bit_of(dtype), greedy<T>);
  on_cpu("CTCBeamSearchDecoder", bit_of(dtype), beam_search<T>);
}

}  // namespace

FL_CPU_KERNELS {
  both<float>(DType::kFloat32);
  both<double>(DType::kFloat64);
}

}  // namespace footlight::FL_ISA
