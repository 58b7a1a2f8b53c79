#include "onefold/cuda/lanes.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include "onefold/cuda/axes.hpp"
#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/run.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold::cuda_backend {
namespace {

// How many copy lanes are best: GB/s of f32, with 32 cores; a copy engine reaches 55.5.
//   copy lanes of a device                    4     6    8    12
//   pageable data, one H200                   32    45   51   48
//   pageable data, two H200s                  57    72   58   52
//   pinned data (no copy by the host), one    55         37
//   pinned data, two                          108        69
constexpr std::size_t lanes_a_device = 8, most_lanes = 12, lanes_of_pinned = 4;

Plan on(const Plan& plan, int device) {
  Plan one = plan;
  one.device = cuda_device(device);
  return one;
}

std::vector<int64_t> cleared(const Plan& plan, Size states) {
  const auto words = static_cast<std::size_t>(plan.layout.words);
  std::vector<int64_t> all(states * words);
  for (Size k = 0; k < states; ++k) clear(&all[k * words], plan.layout, plan.dtype);
  return all;
}

// The answers to which a nest's elements belong: `count` answers from `first` on. (A plan does not
// say how many states its caller holds.)
struct AnswerRange {
  Size first, count = 1;
  explicit AnswerRange(const Nest& nest) : first(nest.answer) {
    for (const Axis& a : nest.axes) {
      if (a.folded) continue;
      const int64_t reach = static_cast<int64_t>(a.extent - 1) * a.step;
      if (reach < 0) first -= static_cast<Size>(-reach);
      count += static_cast<Size>(reach < 0 ? -reach : reach);
    }
  }
};

// The data of one call, and the next piece that a lane may take.
struct Line {
  const std::byte* pinned[2];  // pinned by the caller, so the device reads it directly; or null
  backend::Read read;          // reads other data
  Size elements;
  Size first;  // the first element's index
  Size piece;
  std::atomic<Size> next = 0;
};

struct LaneLease {
  Engine& engine;
  const Lane lane = engine.take_lane();
  ~LaneLease() { engine.give_back(lane); }
};

// The loop of one copy lane's thread: takes pieces until there are none left.
void travel(Engine& engine, const Plan& plan, Line& line, int64_t* state) {
  const LaneLease taken{engine};
  const Lane& lane = taken.lane;
  Engine::WorkspaceLease workspace = engine.borrow(lane.stream);
  const std::size_t bytes = bytes_of(plan.dtype);
  for (Size i; (i = line.next.fetch_add(line.piece)) < line.elements;) {
    const Size n = std::min(line.piece, line.elements - i);
    const std::byte* from[2];
    uint64_t to[2] = {lane.memory, 0};
    // A read may throw; no copy from this memory may then be running.
    for (int k = 0; k < plan.inputs; ++k) {
      const Size place = static_cast<Size>(k) * line.piece * bytes;
      to[k] = lane.memory + place;
      if (line.pinned[k] != nullptr) {
        from[k] = line.pinned[k] + i * bytes;
      } else {
        line.read(k, i, i + n, lane.pinned + place);
        from[k] = lane.pinned + place;
      }
    }
    for (int k = 0; k < plan.inputs; ++k) {
      engine.gpu().copy_in(to[k], from[k], n * bytes, lane.stream);
    }
    const WholeLaunch fold(engine, plan, to[0], to[1], n, line.first + i);
    fold.queue(lane.stream, *workspace);
    engine.gpu().synchronize(lane.stream);
    workspace->unfinished = workspace->spoilt = false;
    canonicalise(workspace->state, plan.layout, plan.dtype);
    merge(state, workspace->state, plan.layout, plan.dtype);
  }
}

bool is_pinned(const std::byte* p) {
  return p == nullptr || jit::whereabouts(p).place == jit::MemoryKind::registered_host;
}

// Returns a piece's number of elements: both inputs fit a copy lane, and pieces begin at multiples
// of the widest load.
Size piece_of(const Plan& plan) {
  return Lane::bytes / (bytes_of(plan.dtype) * static_cast<Size>(plan.inputs)) / 256 * 256;
}

void gather_line_by_lanes(const Plan& plan, Line& line, int64_t* state) {
  const std::vector<int> devices = devices_of(plan.device);
  const std::size_t pieces = (line.elements + line.piece - 1) / line.piece;
  const std::size_t most = line.read == nullptr ? devices.size() * lanes_of_pinned
                                                : std::min(devices.size() * lanes_a_device,
                                                           std::max(most_lanes, devices.size()));
  const std::size_t lanes = std::min(pieces, most);
  std::mutex merging;
  in_threads(lanes, static_cast<int>(lanes), [&](std::size_t k) {
    const Plan mine = on(plan, devices[k % devices.size()]);
    std::vector<int64_t> found = cleared(plan, 1);
    checked(mine, [&] {
      Engine& engine = Engine::of(mine.device.index);
      const jit::Gpu::Current current(engine.gpu());
      const jit::Gpu::RelaxedCapture relaxed;  // another thread may be capturing a stream
      travel(engine, mine, line, found.data());
    });
    const std::lock_guard lock(merging);
    merge(state, found.data(), plan.layout, plan.dtype);
  });
}

}  // namespace

void gather_by_lanes(const Plan& plan, const Nest& nest, const std::byte* x, const std::byte* y,
                     int64_t* state) {
  const bool pinned = is_pinned(x) && is_pinned(y);
  const std::byte* const input[2] = {x, y};
  const Size bytes = bytes_of(plan.dtype);
  Line line{.pinned = {pinned ? x : nullptr, pinned ? y : nullptr},
            .read = {},
            .elements = nest.size(),
            .first = nest.index,
            .piece = piece_of(plan)};
  if (!pinned) {
    line.read = [&](int k, Size begin, Size end, std::byte* to) {
      std::memcpy(to, input[k] + begin * bytes, (end - begin) * bytes);
    };
  }
  gather_line_by_lanes(plan, line, state);
}

void gather_read(const Plan& plan, Size elements, Size first, const backend::Read& read,
                 int64_t* state) {
  Line line{
      .pinned = {}, .read = read, .elements = elements, .first = first, .piece = piece_of(plan)};
  gather_line_by_lanes(plan, line, state);
}

void gather_on_several(const Plan& plan, const Nest& nest, const void* x, const void* y,
                       int64_t* states) {
  refuse_stream(plan);
  const std::vector<int> devices = devices_of(plan.device);
  const Arrays a(plan, nest, x, y);
  for (const std::byte* p : {a.x, a.y}) {
    const jit::Whereabouts w = p == nullptr ? jit::Whereabouts{} : jit::whereabouts(p);
    if (w.place != jit::MemoryKind::device) continue;
    throw Error(ErrorCode::bad_option,
                names_of(plan.ops) +
                    ": several devices can share only an array on the host, but this array is on " +
                    "cuda:" + std::to_string(w.device) + "; choose this device");
  }
  const auto words = static_cast<Size>(plan.layout.words);
  if (is_whole(plan, nest)) {
    return gather_by_lanes(plan, nest, a.x, a.y, states + nest.answer * words);
  }
  if (nest.axes.empty()) return gather(on(plan, devices[0]), nest, x, y, states);
  const Size extent = nest.axes[0].extent, inner = nest.size() / extent;
  const bool folded = nest.axes[0].folded;
  const AnswerRange touched(nest);
  const std::size_t parts = std::min<std::size_t>(devices.size(), extent);
  std::mutex merging;
  in_threads(parts, static_cast<int>(parts), [&](std::size_t k) {
    const Size begin = extent * k / parts, end = extent * (k + 1) / parts;
    Nest box = box_of(nest, 0, begin * inner, end - begin);
    drop_ones(box.axes);
    const Plan mine = on(plan, devices[k]);
    if (!folded) return gather(mine, box, x, y, states);  // each device has its own answers
    std::vector<int64_t> found = cleared(plan, touched.count);
    box.answer -= touched.first;
    gather(mine, box, x, y, found.data());
    const std::lock_guard lock(merging);
    for (Size i = 0; i < touched.count; ++i) {
      merge(states + (touched.first + i) * words, &found[i * words], plan.layout, plan.dtype);
    }
  });
}

}  // namespace onefold::cuda_backend
