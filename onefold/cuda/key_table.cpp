#include "onefold/cuda/key_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "onefold/error.hpp"

namespace onefold::cuda_backend {
namespace {

using kernel::KeyKind;
using kernel::KeyStep;

// A workspace keeps so many bytes, enough for the first table. More are allocated for a call, and
// freed.
constexpr Size most_tables_kept = Size{32} << 20;
// Elements of a first launch that inserts frequent keys, so that later not many threads insert one
// key at the same time.
constexpr Size most_first = 4096;
constexpr Size most_slots = Size{1} << 31, least_slots = 1024;
// At a load of 1/2 the longest of 1.7 * 10^7 searches took 45 to 61 steps, for four kinds of keys.
constexpr Size most_steps = 256;

// The bits of positive infinity and of the NaN that stands for all.
std::pair<uint64_t, uint64_t> specials_of(DType t) {
  if (!is_floating(t)) return {0, 0};
  const FloatFormat f = float_format(t);
  return {f.infinity(), f.nan()};
}

KeyKind kind_of_keys(DType t) {
  if (is_floating(t)) return KeyKind::floating;
  return kind_of(t) == Kind::signed_integer ? KeyKind::signed_integer : KeyKind::unsigned_integer;
}

}  // namespace

KeyTable::KeyTable(const Plan& plan, const ArrayRef& keys, uint64_t numbers, Size slots)
    : plan_(plan), engine_(Engine::of(plan.device.index)) {
  input_.n = static_cast<Size>(keys.shape[0]);
  if (input_.n == 0) return;
  checked(plan_, [&] {
    jit::Gpu& gpu = engine_.gpu();
    const jit::Gpu::Current current(gpu);
    const jit::Gpu::RelaxedCapture relaxed;
    try {
      build(keys, numbers, slots);
    } catch (...) {
      free();  // while the context is current
      throw;
    }
  });
}

// Numbers the keys. Memory that is needed only for that is freed.
void KeyTable::build(const ArrayRef& keys, uint64_t numbers, Size slots) {
  jit::Gpu& gpu = engine_.gpu();
  const auto bytes = static_cast<int64_t>(bytes_of(keys.dtype));
  uint64_t at = address(keys.data);
  if (is_here(plan_, keys.data, "the array of keys")) {
    stream_ = stream_of(plan_);
    refuse_capture(engine_, plan_, stream_);
  } else {
    Nest line{.bytes = static_cast<Size>(bytes)};
    line.axes = {{input_.n, {keys.strides[0]}, 1, true}};
    const Span span(line, 0);
    given_.emplace(gpu, span.bytes);
    gpu.copy_in(given_->address(), static_cast<const std::byte*>(keys.data) + span.low, span.bytes);
    at = given_->address() - static_cast<uint64_t>(span.low);
  }
  const auto [infinity, nan] = specials_of(keys.dtype);
  input_.keys = {.at = at,
                 .apart = keys.strides[0] / bytes,
                 .bytes = static_cast<uint32_t>(bytes),
                 .boolean = keys.dtype == DType::boolean,
                 .limit = 0};
  input_.kind = kind_of_keys(keys.dtype);
  input_.infinity = infinity;
  input_.nan = nan;
  input_.numbers = numbers != 0 ? numbers : own_.emplace(gpu, 4 * input_.n).address();
  kernel_ = engine_.kernels().get({.dtype = DType::u64, .set = {}, .walk = kernel::Walk::keys});
  const Size enough = std::clamp(std::bit_ceil(2 * input_.n), least_slots, most_slots);
  Engine::WorkspaceLease workspace = engine_.borrow(stream_);
  workspace->spoilt = true;
  for (slots = std::min(enough, slots); !find(*workspace, slots);
       slots = std::min(enough, 16 * slots)) {
    if (slots < enough) continue;
    throw Error(ErrorCode::bad_option, names_of(plan_.ops) + ": there are more than " +
                                           std::to_string(most_slots / 2) +
                                           " distinct keys; group on the CPU, or in parts");
  }
  sort();
  number();
  workspace->unfinished = workspace->spoilt = false;
}

void KeyTable::free() {
  for (auto* piece : {&table_, &given_, &own_, &images_}) piece->reset();
}

KeyTable::~KeyTable() {
  const jit::Gpu::Current current(engine_.gpu());
  free();
}

void KeyTable::launch(KeyStep step, Size items) const {
  constexpr unsigned threads = 32 * kernel::key_warps;
  input_.step = step;
  void* args[] = {&input_, &input_, &input_, &input_};
  const auto most = 4 * static_cast<Size>(engine_.gpu().facts().multiprocessors);
  const Size blocks = std::clamp<Size>((items + threads - 1) / threads, 1, most);
  engine_.gpu().launch(
      kernel_, {.grid = static_cast<unsigned>(blocks), .block = threads, .stream = stream_}, args);
}

void KeyTable::find_from(Size from, Size end) {
  const Size n = std::exchange(input_.n, end);
  input_.from = from;
  launch(KeyStep::find, (end - from + 3) / 4);
  input_.n = n;
}

// Returns whether a table of so many slots has room for the keys.
bool KeyTable::find(Workspace& workspace, Size slots) {
  jit::Gpu& gpu = engine_.gpu();
  const bool last = slots >= 2 * input_.n || slots == most_slots;
  table_.reset();
  const Size bytes = 12 * slots + 4 + 4 * KeyInput::heads;
  input_.table = bytes <= most_tables_kept ? engine_.memory_of(workspace, std::bit_ceil(bytes))
                                           : table_.emplace(gpu, bytes).address();
  input_.slots = slots;
  input_.ranks = input_.table + 8 * slots;
  input_.head = input_.ranks + 4 * (slots + 1);
  input_.most = static_cast<uint32_t>(slots / 2);
  input_.most_steps = static_cast<uint32_t>(last ? slots : std::min(slots, most_steps));
  launch(KeyStep::clear, slots / 8);
  find_from(0, std::min(input_.n, most_first));
  if (input_.n > most_first) find_from(most_first, input_.n);
  gpu.synchronize(stream_);
  uint32_t head[KeyInput::heads];
  gpu.copy_out(head, input_.head, sizeof head);
  input_.found = head[KeyInput::keys_found];
  input_.has_top = head[KeyInput::tops] != 0 ? 1 : 0;
  return head[KeyInput::given_up] == 0 && input_.found <= input_.most;
}

void KeyTable::sort() {
  input_.padded = input_.found == 0 ? 0 : std::bit_ceil(input_.found);
  images_.emplace(engine_.gpu(), std::max<Size>(8 * input_.padded, 8));
  input_.images = images_->address();
  if (input_.found == 0) return;
  constexpr Size tile = kernel::key_tile, threads = 32 * kernel::key_warps;
  launch(KeyStep::list, input_.slots / 8);
  const Size tiles = (input_.padded + tile - 1) / tile;
  launch(KeyStep::sort_tiles, tiles * threads);
  for (input_.run = 2 * tile; input_.run <= input_.padded; input_.run *= 2) {
    for (Size apart = input_.run / 2; apart >= tile; apart >>= input_.steps) {
      input_.steps = std::min(3, static_cast<int>(std::bit_width(apart / tile)));
      input_.apart = apart >> (input_.steps - 1);
      launch(KeyStep::sort_apart, input_.padded >> input_.steps);
    }
    launch(KeyStep::merge_tiles, tiles * threads);
  }
}

void KeyTable::number() {
  launch(KeyStep::number, std::max<Size>(input_.found, 1));
  launch(KeyStep::apply, (input_.n + 3) / 4);
  engine_.gpu().synchronize(stream_);
  table_.reset();
  given_.reset();
}

void KeyTable::copy_numbers(int32_t* to) const {
  checked(plan_, [&] {
    const jit::Gpu::Current current(engine_.gpu());
    engine_.gpu().copy_out(to, input_.numbers, 4 * input_.n);
  });
}

void KeyTable::write_keys(void* to) const {
  if (size() == 0) return;
  checked(plan_, [&] {
    jit::Gpu& gpu = engine_.gpu();
    const jit::Gpu::Current current(gpu);
    const bool there = is_here(plan_, to, "the memory for keys");
    std::optional<Piece> names;
    const Size bytes = size() * input_.keys.bytes;
    input_.names = there ? address(to) : names.emplace(gpu, bytes).address();
    launch(KeyStep::name, size());
    gpu.synchronize(stream_);
    if (!there) gpu.copy_out(to, input_.names, bytes);
  });
}

}  // namespace onefold::cuda_backend
