#include "onefold/cuda/engine.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>

#include "onefold/cuda/kernel/state.hpp"
#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

// The number of words of the largest state.
constexpr int most_words = [] {
  int most = 0;
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  most = std::max(most, kernel::most_words_of<type>());
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  return most;
}();

constexpr int64_t unlikely_word = 0x6b61c8e5'93d7a24f;
constexpr std::size_t most_streams = 128;  // the most streams with a workspace

Error refusal(int index, const std::string& why) {
  return Error(ErrorCode::no_backend,
               "device \"cuda:" + std::to_string(index) + "\" was requested, but " + why);
}

std::unique_ptr<jit::Gpu> open(int index) {
  if (const std::optional<Error> why = why_no_device(index)) throw *why;
  try {
    const jit::Gpu::ContextGuard caller;
    return std::make_unique<jit::Gpu>(index);
  } catch (const jit::CudaError& e) {
    if (e.is_out_of_memory()) {
      throw Error(ErrorCode::out_of_memory,
                  "device cuda:" + std::to_string(index) + ": " + e.what());
    }
    throw refusal(index, std::string("it cannot be opened: ") + e.what());
  }
}

}  // namespace

std::optional<Error> why_no_device(int index) {
  const jit::Driver& driver = jit::Driver::get();
  if (!driver.usable()) return refusal(index, driver.why() + "; or choose the device cpu");
  if (index >= 0 && index < driver.devices()) return {};
  const int last = driver.devices() - 1;
  return refusal(index, last == 0
                            ? "there is only one device, cuda:0"
                            : "there are " + std::to_string(last + 1) +
                                  " devices; choose one of cuda:0 to cuda:" + std::to_string(last));
}

std::vector<int> devices_of(const Device& device) {
  if (device.several == 0) return {device.index};
  const bool all = device.several == ~uint64_t{0};
  std::vector<int> list;
  for (int d = 0; d < (all ? std::min(jit::Driver::get().devices(), 64) : 64); ++d) {
    if ((device.several >> d & 1) != 0) list.push_back(d);
  }
  return list;
}

Engine::Engine(int index) : index_(index), gpu_(open(index)), kernels_(*gpu_) {
  few_f64 = has_few_f64(gpu_->facts().chip);
  most_doubles = multiplies_f64(gpu_->facts().chip) ? Size{1} << 10 : 0;
}

Engine& Engine::of(int index) {
  if (const std::optional<Error> why = why_no_device(index)) throw *why;  // in a child of fork
  static std::mutex mutex;
  // Never destroyed, since the driver may be gone at the end of the process.
  static auto& engines = *new std::map<int, std::unique_ptr<Engine>>;
  const std::lock_guard lock(mutex);
  auto& engine = engines[index];
  if (engine == nullptr) engine.reset(new Engine(index));
  return *engine;
}

void Workspace::expect_words(int words) const { std::fill_n(state, words, unlikely_word); }

bool Workspace::words_have_come(int words) const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::microseconds(100);
  for (int k = 0; k < words; ++k) {
    while (std::atomic_ref(state[k]).load(std::memory_order_acquire) == unlikely_word) {
      if (Clock::now() > end) return false;
    }
  }
  return true;
}

std::unique_ptr<Workspace> Engine::take(std::optional<uint64_t> id) {
  {
    const std::lock_guard lock(mutex_);
    const auto usable = [&](const auto& w) { return !w->unfinished || w->stream == id; };
    const auto found = std::find_if(free_.rbegin(), free_.rend(), usable);
    if (found != free_.rend()) {
      auto w = std::move(*found);
      free_.erase(std::next(found).base());
      return w;
    }
  }
  const jit::Gpu::RelaxedCapture relaxed;
  auto w = std::make_unique<Workspace>();
  constexpr std::size_t counters = 256;
  constexpr std::size_t words =
      8 * (std::size_t{kernel::replicas} * most_words + kernel::arrival_words);
  constexpr std::size_t rivals = std::size_t{Workspace::most_blocks} * kernel::most_rival_words * 8;
  constexpr std::size_t lists =
      std::size_t{Workspace::most_blocks} * (2 * Workspace::most_warps + 1) * 4;
  const uint64_t memory = gpu_->allocate(counters + words + rivals + lists);
  gpu_->fill(memory, 0, counters + words + rivals);
  gpu_->synchronize();
  w->device = {.counters = memory,
               .words = memory + counters,
               .rivals = memory + counters + words,
               .lists = memory + counters + words + rivals};
  return w;
}

void Engine::give_scratch(Workspace& w, Size answers) {
  const auto zeros = [&](std::size_t zero, std::size_t beside) {
    const jit::Gpu::RelaxedCapture relaxed;
    const uint64_t memory = gpu_->allocate(zero + beside);
    gpu_->fill(memory, 0, zero);
    gpu_->synchronize();
    return memory;
  };
  if (w.scratch.tickets == 0) {
    constexpr std::size_t tickets =
        4 * std::max<std::size_t>(Workspace::scratch_tickets, Workspace::segment_parts + 64);
    w.scratch.tickets = zeros(tickets, 8 * Workspace::scratch_words);
    w.scratch.left = w.scratch.tickets + tickets;
  }
  if (answers > w.undecided) {
    const Size most = std::bit_ceil(std::max<Size>(answers, 1024));
    w.scratch.undecided = zeros(4 * kernel::undecided_words + most / 8, 0);
    w.undecided = most;
  }
}

jit::CublasLt* Engine::byte_products() {
  std::call_once(opened_, [&] {
    const jit::Gpu::RelaxedCapture relaxed;
    byte_products_ = jit::CublasLt::open();
  });
  return byte_products_.get();
}

uint64_t Engine::memory_of(Workspace& w, Size bytes) {
  if (w.bytes_grown < bytes) {
    const jit::Gpu::RelaxedCapture relaxed;
    w.grown = gpu_->allocate(bytes);
    w.bytes_grown = bytes;
  }
  return w.grown;
}

Engine::WorkspaceLease Engine::borrow(void* stream) {
  std::optional<uint64_t> id;
  if (jit::Gpu::streams_have_ids()) id = gpu_->id_of(stream == nullptr ? gpu_->stream() : stream);
  auto w = take(id);
  w->stream = id;
  if (!w->unfinished) {
    // Some of these streams may be destroyed, which the driver does not report; a workspace of such
    // a stream would stay unused. Waiting for the context would end a capture, so another stream
    // takes over the workspace.
    constexpr std::ptrdiff_t most = 16;
    const std::lock_guard lock(mutex_);
    const auto left = [](const auto& other) { return other->unfinished; };
    if (std::count_if(free_.begin(), free_.end(), left) >= most) w->stream = {};
  }
  if (w->state == nullptr) {
    w->state = static_cast<int64_t*>(gpu_->allocate_pinned(most_words * 8));
  }
  return {*this, std::move(w)};
}

void Engine::with_workspace(void* stream, const std::function<void(Workspace&)>& queue) {
  if (void* const graph = gpu_->graph_of(stream); graph != nullptr) {
    return with_workspace_of_graph(graph, queue);
  }
  const uint64_t id = gpu_->id_of(stream);
  const bool has_ids = jit::Gpu::streams_have_ids();
  for (;; give_to_stream(id)) {
    const std::shared_lock lock(streams_mutex_);
    const auto found = of_streams_.find(id);
    if (found == of_streams_.end()) continue;
    Workspace& w = *found->second;
    const std::lock_guard alone(w.queueing);
    if (w.spoilt) continue;
    if (w.mark != nullptr && !(has_ids && w.stream == id)) gpu_->wait_for(w.mark, stream);
    queue(w);
    // With so many streams, another stream may have to take over the workspace, so an event is
    // recorded. That is a driver call, which calls on the first streams save.
    constexpr std::size_t many = most_streams / 2;
    if (w.mark != nullptr || !has_ids || of_streams_.size() > many) {
      if (w.mark == nullptr) w.mark = gpu_->new_mark();
      gpu_->record(w.mark, stream);
      w.used = ++uses_;
    }
    if (has_ids) w.stream = id;
    w.spoilt = false;
    return;
  }
}

void Engine::give_to_stream(uint64_t id) {
  const auto is_full = [&] {
    const std::shared_lock lock(streams_mutex_);
    return of_streams_.size() >= most_streams;
  };
  auto w = is_full() ? nullptr : take();
  const std::unique_lock lock(streams_mutex_);
  const auto found = of_streams_.find(id);
  if (found != of_streams_.end()) {
    // Another thread has given the stream a workspace meanwhile
    if (!found->second->spoilt) return give_back(std::move(w));
    give_back(std::move(found->second));
    of_streams_.erase(found);
  }
  if (w == nullptr) w = take_over();
  of_streams_[id] = std::move(w);
}

// The least recently used workspace among those that have an event recorded after their work.
std::unique_ptr<Workspace> Engine::take_over() {
  for (;;) {
    auto oldest = of_streams_.end();
    for (auto i = of_streams_.begin(); i != of_streams_.end(); ++i) {
      if (i->second->mark == nullptr) continue;
      if (oldest == of_streams_.end() || i->second->used < oldest->second->used) oldest = i;
    }
    if (oldest == of_streams_.end()) return take();
    auto w = std::move(oldest->second);
    of_streams_.erase(oldest);
    if (!w->spoilt) return w;
    give_back(std::move(w));
  }
}

void Engine::with_workspace_of_graph(void* graph, const std::function<void(Workspace&)>& queue) {
  struct GraphWorkspace {
    Engine& engine;
    std::unique_ptr<Workspace> workspace;
  };
  auto* const owned = new GraphWorkspace{*this, take()};
  Workspace& w = *owned->workspace;
  gpu_->when_destroyed(graph, owned, [](void* p) {
    const std::unique_ptr<GraphWorkspace> gone(static_cast<GraphWorkspace*>(p));
    gone->engine.give_back(std::move(gone->workspace));
  });
  queue(w);
  w.spoilt = false;
}

Lane Engine::take_lane() {
  {
    const std::lock_guard lock(mutex_);
    if (!lanes_.empty()) {
      const Lane lane = lanes_.back();
      lanes_.pop_back();
      return lane;
    }
  }
  const jit::Gpu::RelaxedCapture relaxed;
  Lane lane;
  lane.memory = gpu_->allocate(Lane::bytes);
  lane.pinned = static_cast<std::byte*>(gpu_->allocate_pinned(Lane::bytes));
  lane.stream = gpu_->new_stream();
  return lane;
}

void Engine::give_back(const Lane& lane) {
  const std::lock_guard lock(mutex_);
  lanes_.push_back(lane);
}

void Engine::give_back(std::unique_ptr<Workspace> w) {
  if (w == nullptr) return;
  const std::lock_guard lock(mutex_);
  (w->spoilt ? spoilt_ : free_).push_back(std::move(w));
}

}  // namespace onefold::cuda_backend
