// Every call of the driver fails, once or from then on. Each failure gives a typed error, no wrong
// value and no crash, and answers are right once the driver works again.
#include "driver/device.hpp"
#include "gpu/two_devices.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

// cuda.h: CUresult.
enum { out_of_memory = 2, launch_failed = 719, unknown = 999 };

// The result of one use of the library.
enum class Outcome { right, refused, wrong };

template <class F>
Outcome outcome_of(const char* what, F&& f) {
  try {
    const double sum = f();
    if (sum == 250) return Outcome::right;
    std::fprintf(stderr, "%s gives %g\n", what, sum);
    return Outcome::wrong;
  } catch (const Error& e) {
    switch (e.code()) {
      case ErrorCode::out_of_memory:
      case ErrorCode::device_failed:
      case ErrorCode::no_backend:
        return Outcome::refused;
      default:
        std::fprintf(stderr, "%s: %s\n", what, e.what());
        return Outcome::wrong;
    }
  } catch (const jit::CudaError&) {  // from the test's own calls
    return Outcome::refused;
  }
}

// Uses a device in every way: with host data, device data, without waiting, and captured.
Outcome use_all(std::size_t n) {
  const std::vector<double> x(n, 250.0 / static_cast<double>(n));
  Outcome worst = Outcome::right;
  const auto note = [&](Outcome o) { worst = std::max(worst, o); };
  note(outcome_of("host data",
                  [&] { return fold("sum", x, {.device = cuda()}).get<double>("sum"); }));
  note(outcome_of("the rest", [&] {
    jit::Gpu gpu;
    const Stream stream;
    const DeviceBytes memory(gpu, 8 * n), out(gpu, 8);
    memory.write(x);
    const ArrayRef ref(memory.data(), f64, Dims(n));
    const Options options{.device = cuda(), .stream = stream.get()};
    note(outcome_of("device data", [&] { return fold("sum", ref, options).get<double>("sum"); }));
    const auto queue = [&] { fold_into({out.data(), f64, Dims(1)}, "sum", ref, options); };
    const auto read = [&] { return out.read<double>(1)[0]; };
    for (int k = 0; k < 2; ++k) {
      note(outcome_of("queued", [&] {
        queue();
        return read();
      }));
    }
    {
      // If queueing fails, the graph is incomplete and is not replayed.
      bool queued = true;
      const Graph graph(stream, [&] {
        queued = outcome_of("captured", [&] {
                   queue();
                   return 250.0;
                 }) == Outcome::right;
      });
      if (queued) {
        note(outcome_of("replayed", [&] {
          graph.replay(stream);
          return read();
        }));
      }
    }
    return 250.0;
  }));
  return worst;
}

enum Verdict { fine, broken, never_reached };

// Runs in a separate process: call k fails with `code`.
Verdict try_failure(long k, int code, bool for_ever, std::size_t n) {
  return static_cast<Verdict>(in_a_child([&]() -> int {
    Control& c = control();
    c.fail_at = k;
    c.code = code;
    c.for_ever = for_ever;
    if (use_all(n) == Outcome::wrong) return broken;
    const bool reached = c.calls > k;
    const std::vector<double> x(n, 250.0 / static_cast<double>(n));
    if (outcome_of("the processor", [&] { return fold("sum", x).get<double>("sum"); }) !=
        Outcome::right) {
      return broken;
    }
    if (!for_ever) {
      c.fail_at = -1;
      // A driver that did not start, or could not describe its devices, is not called again.
      const bool asked = jit::Driver::get().usable();
      if (use_all(n) != (asked ? Outcome::right : Outcome::refused)) return broken;
    }
    if (!c.flaws.empty()) std::fprintf(stderr, "%s\n", c.flaws.c_str());
    if (!c.flaws.empty()) return broken;
    return reached ? fine : never_reached;
  }));
}

void try_all(int code, bool for_ever, std::size_t n = 1000) {
  long k = 0;
  for (;; ++k) {
    const Verdict v = try_failure(k, code, for_ever, n);
    if (v == never_reached) break;
    ASSERT_EQ(v, fine) << "call " << k << " fails with " << code;
  }
  EXPECT_GT(k, 60);
}

// The host must not access memory that may belong to the device.
TEST(Faults, OfTheQuestionWhereAPointerLiesAreNotAnAnswer) {
  jit::Gpu gpu;
  const DeviceBytes x(gpu, 800), out(gpu, 8);
  x.write(std::vector<double>(100, 2.5));
  const ArrayRef ref(x.data(), f64, Dims(100));
  for (const bool on_the_host : {true, false}) {
    control().fail_name = "cuPointerGetAttributes";
    control().code = launch_failed;
    try {
      if (on_the_host) {
        fold("sum", ref, {.device = cuda()});
      } else {
        fold_into({out.data(), f64, Dims(1)}, "sum", ref, {.device = cuda()});
      }
      ADD_FAILURE();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::device_failed) << e.what();
    }
  }
  EXPECT_EQ(fold("sum", ref, {.device = cuda()}).get<double>("sum"), 250);
}

TEST(Faults, OfOneCallLeaveTheLibraryUsable) { try_all(out_of_memory, false); }
TEST(Faults, OfAnUnknownKindAreTypedErrors) { try_all(unknown, false); }
TEST(Faults, OfALostDeviceLeaveTheProcessor) { try_all(launch_failed, true); }

// Parts are on two devices, which are lost at any call: there is an error, and no answer.
TEST(Faults, OfTwoDevicesEndTheFoldOfTheirParts) {
  control().devices = 2;
  // A child process asks for devices, because children of a process that has asked may not use
  // them.
  if (in_a_child([] { return jit::Driver::get().devices(); }) < 2) {
    GTEST_SKIP() << "this process has begun with one";
  }
  int verdict = fine;
  long k = 0;
  for (; verdict == fine && k < 500; ++k) {
    verdict = in_a_child([&]() -> int {
      const Holder a(0, 0.125), b(1, 0.125);
      ArrayRef parts[] = {a.ref(), b.ref()};
      parts[0].device = cuda(0);
      parts[1].device = cuda(1);
      control().code = launch_failed;
      control().for_ever = true;
      control().fail_at = control().calls + k;
      const Outcome outcome = outcome_of("parts", [&] {
        const Part both[] = {{parts[0]}, {parts[1]}};
        return gather({.ops = "sum", .parts = both}).answer("sum").as<double>();
      });
      control().fail_at = -1;
      control().for_ever = false;
      if (outcome == Outcome::wrong) return broken;
      if (fold("sum", std::vector<double>(100, 2.5)).get<double>("sum") != 250) return broken;
      return outcome == Outcome::right ? never_reached : fine;
    });
  }
  EXPECT_EQ(verdict, never_reached) << k;
  EXPECT_GT(k, 20);
}

}  // namespace ONEFOLD_FILE
