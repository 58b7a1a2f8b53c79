// Host races: work of streams, and main()'s own use of memory, that nothing orders.
#include <gtest/gtest.h>

#include "lab/host_order.hpp"
#include "lab/kernel_verdict.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// A program with two streams, an event, arrays x and y of the device and a, b of pinned memory.
RanMain run_body(const std::string& body, const std::string& flag = "cudaStreamDefault") {
  return run_text(
      "#include <cstdio>\n__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }\n"
      "__global__ void twice(const int* x, int* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }\n"
      "int main() {\n  int *x, *y, *a, *b;\n  cudaStream_t s, t;\n  cudaEvent_t e;\n"
      "  cudaMalloc(&x, 512); cudaMalloc(&y, 512);\n"
      "  cudaMallocHost(&a, 512); cudaHostAlloc(&b, 512, cudaHostAllocDefault);\n"
      "  cudaStreamCreateWithFlags(&s, " +
      flag + "); cudaStreamCreateWithFlags(&t, " + flag +
      ");\n"
      "  cudaEventCreate(&e);\n  fill<<<1, 128>>>(x);\n  cudaDeviceSynchronize();\n  for (int i = "
      "0; i < 128; ++i) a[i] = b[i] = i;\n" +
      body +
      "\n  cudaDeviceSynchronize();\n"
      "  cudaFreeHost(a); cudaFreeHost(b); cudaFree(x); cudaFree(y);\n"
      "  cudaEventDestroy(e); cudaStreamDestroy(s); cudaStreamDestroy(t);\n}\n");
}
void clean(const std::string& body, const std::string& flag = "cudaStreamDefault") {
  const RanMain r = run_body(body, flag);
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result) << body;
}
void flawed(const std::string& body, const std::string& kind, const std::string& says,
            const std::string& flag = "cudaStreamDefault") {
  const RanMain r = run_body(body, flag);
  EXPECT_EQ(kinds(r.result), Kinds{kind}) << body << why(r.result);
  EXPECT_NE(why(r.result).find(says), std::string::npos) << why(r.result) << body;
}
const std::string unordered = "in two streams without an event or synchronisation between them",
                  non_blocking = "cudaStreamNonBlocking", fill = "fill<<<1, 64, 0, s>>>(x);\n",
                  twice = "twice<<<1, 64, 0, t>>>(x, y);\n";

TEST(Streams, RaceWithoutAnEvent) {
  NEEDS_CLANG();
  flawed(fill + twice, "race", unordered);
  flawed(twice + fill, "race", unordered);  // a store after a load
  flawed("fill<<<1, 64, 0, t>>>(y);\n" + fill + twice, "race", unordered);
  flawed(twice + "twice<<<1, 64, 0, s>>>(x, y);", "race", unordered);
  // Three readers; the store comes after two of them.
  flawed(
      "twice<<<1, 64>>>(x, y);\ntwice<<<1, 64, 0, s>>>(x, y);\n"
      "cudaMemcpyAsync(b, x, 256, cudaMemcpyDeviceToHost, t);\n" +
          fill,
      "race", "a call of main()");
}

TEST(Streams, AreOrderedByEventsAndSynchronisation) {
  NEEDS_CLANG();
  for (const char* between :
       {"cudaEventRecord(e, s); cudaStreamWaitEvent(t, e, 0);", "cudaStreamSynchronize(s);",
        "cudaDeviceSynchronize();", "cudaEventRecord(e, s); cudaEventSynchronize(e);",
        "while (cudaStreamQuery(s) != cudaSuccess) {}", "fill<<<1, 64>>>(y);",
        "cudaMemset(y, 0, 256);", "cudaEventRecord(e); cudaStreamWaitEvent(t, e, 0);"}) {
    clean(fill + between + "\n" + twice);
  }
  for (const char* between :
       {"cudaEventRecord(e, t); cudaStreamWaitEvent(t, e, 0);",
        "cudaEventRecord(e, t); cudaEventSynchronize(e);",
        "cudaStreamWaitEvent(t, e, 0); cudaEventRecord(e, s);", "cudaStreamSynchronize(t);"}) {
    flawed(fill + between + "\n" + twice, "race", unordered);
  }
}

TEST(Streams, OfOwnHalvesDoNotRace) {
  NEEDS_CLANG();
  clean(
      "cudaStream_t both[] = {s, t};\nfor (int k = 0; k < 2; ++k) {\n  int* p = x + 64 * k;\n"
      "  cudaMemcpyAsync(p, a + 64 * k, 256, cudaMemcpyHostToDevice, both[k]);\n"
      "  twice<<<1, 64, 0, both[k]>>>(p, y + 64 * k);\n"
      "  cudaMemcpyAsync(b + 64 * k, y + 64 * k, 256, cudaMemcpyDeviceToHost, both[k]);\n}\n"
      "cudaStreamSynchronize(s);\nif (b[63] != 126) return 1;\ncudaStreamSynchronize(t);\n"
      "if (b[127] != 254) return 1;");
  clean("twice<<<1, 64, 0, s>>>(x, y); twice<<<1, 64, 0, t>>>(x, y + 64);");  // both read x
}

TEST(Streams, WaitForTheDefaultStreamUnlessTheyAreNonBlocking) {
  NEEDS_CLANG();
  const std::string by_default = "fill<<<1, 64>>>(x);\n" + twice;
  clean(by_default);
  flawed(by_default, "race", unordered, non_blocking);
  clean(fill + "twice<<<1, 64>>>(x, y);");
  flawed(fill + "twice<<<1, 64>>>(x, y);", "race", unordered, non_blocking);
  clean("cudaMemcpy(x, a, 256, cudaMemcpyHostToDevice);\n" + twice, non_blocking);
  // A fill and a copy within the device return before they are done.
  flawed("cudaMemset(x, 0, 256);\n" + twice, "race", "is written at", non_blocking);
  flawed("cudaMemcpy(x, y + 64, 256, cudaMemcpyDeviceToDevice);\n" + twice, "race",
         "by a call of main()", non_blocking);
  clean(
      "fill<<<1, 64, 0, cudaStreamLegacy>>>(x);\n"
      "twice<<<1, 64, 0, cudaStreamPerThread>>>(x, y);");
}

TEST(Streams, RaceWithCopies) {
  NEEDS_CLANG();
  flawed("cudaMemcpyAsync(x, a, 256, cudaMemcpyHostToDevice, s);\n" + twice, "race",
         "by a call of main(), and read");
  flawed("cudaMemsetAsync(x, 0, 256, s);\n" + twice, "race", unordered);
  flawed(fill + "cudaMemcpyAsync(b, x, 256, cudaMemcpyDeviceToHost, t);", "race", unordered);
  flawed(
      "cudaMemcpyAsync(b, x, 256, cudaMemcpyDeviceToHost, s);\n"
      "cudaMemcpyAsync(b + 8, y, 256, cudaMemcpyDeviceToHost, t);",
      "bad_call", unordered);
  clean(
      "cudaMemcpyAsync(x, a, 256, cudaMemcpyHostToDevice, s);\n"
      "cudaMemcpyAsync(y, a, 256, cudaMemcpyHostToDevice, t);");
}

TEST(Streams, KeepMainFromMemoryThatTheyUse) {
  NEEDS_CLANG();
  const std::string down = "cudaMemcpyAsync(b, x, 256, cudaMemcpyDeviceToHost, s);\n",
                    up = "cudaMemcpyAsync(x, a, 256, cudaMemcpyHostToDevice, s);\n";
  const std::string print = "printf(\"%d\", b[63]);";
  const std::string early = "main() uses memory of cudaMallocHost that the copy at ";
  flawed(down + print, "bad_call", early);
  flawed(down + "cudaStreamSynchronize(t);\n" + print, "bad_call", early);
  flawed(down + "cudaGetLastError();\n" + print, "bad_call", early);
  clean(down + "cudaStreamSynchronize(s);\n" + print);
  clean(down + "cudaEventRecord(e, s);\ncudaEventSynchronize(e);\n" + print);
  clean(down + "cudaMemcpy(y, a, 4, cudaMemcpyHostToDevice);\n" + print);
  clean(down + "printf(\"%d\", b[64]);");  // the copy leaves this element alone
  flawed(up + "a[3] = 1;", "bad_call", "main() changes memory of cudaMallocHost that the copy at ");
  clean(up + "printf(\"%d\", a[3]);");
  clean(up + "cudaStreamSynchronize(s);\na[3] = 1;");
  // Of memory that is not pinned the copy returns when it is done.
  clean(
      "int h[64];\ncudaMemcpyAsync(h, x, 256, cudaMemcpyDeviceToHost, s);\nprintf(\"%d\", h[3]);");
}

TEST(Streams, WriteManagedMemoryUntilMainWaitsForThem) {
  NEEDS_CLANG();
  const std::string begin = "int* m;\ncudaMallocManaged(&m, 512);\nfill<<<1, 64, 0, s>>>(m + 8);\n";
  const std::string early = "main() uses managed memory that fill has written";
  flawed(begin + "printf(\"%d\", m[9]);", "bad_call", early);
  flawed(begin + "cudaStreamSynchronize(t);\nprintf(\"%d\", m[9]);", "bad_call", early);
  clean(begin + "cudaStreamSynchronize(s);\nprintf(\"%d\", m[9]);");
  clean(begin + "m[100] = 3;");  // another part of it
  const std::string reads =
      "int* m;\ncudaMallocManaged(&m, 512);\nfor (int i = 0; i < 128; ++i) m[i] = i;\n"
      "twice<<<1, 64, 0, s>>>(m, y);\n";
  flawed(reads + "m[3] = 1;", "bad_call", "main() changes managed memory that twice reads");
  clean(reads + "printf(\"%d\", m[3]);\nm[64] = 1;");
  clean(reads + "cudaStreamSynchronize(s);\nm[3] = 1;");
  flawed(begin + "twice<<<1, 64, 0, t>>>(m, y);", "race", unordered);
  flawed(begin + "cudaMemcpyAsync(y, m, 256, cudaMemcpyDefault, t);", "race", unordered);
}

TEST(Streams, RefuseMemoryThatIsNotPinned) {
  NEEDS_CLANG();
  flawed(fill + "cudaFreeHost(a + 1);", "bad_call",
         "cudaFreeHost of a pointer that is not the start");
}

TEST(HostOrder, KnowsWhatComesAfterWhat) {
  HostOrder order;
  const auto s = order.create_stream(true), t = order.create_stream(false);
  const HostOrder::Work a = order.queue(s, 10), b = order.queue(t, 20);
  EXPECT_FALSE(order.before(a));
  EXPECT_EQ(order.apart_from(), 10u);
  EXPECT_TRUE(order.apart(19));
  EXPECT_FALSE(order.apart(20));
  order.queue(0, 30);  // after s alone
  EXPECT_TRUE(order.before(a));
  EXPECT_FALSE(order.before(b));
  EXPECT_EQ(order.apart_from(), 20u);
  const auto e = order.create_event();
  order.record(e, t);
  order.wait_for_event(e);
  EXPECT_TRUE(order.ended(b));
  EXPECT_FALSE(order.ended(a));
  order.queue(s, 40);
  EXPECT_TRUE(order.before(b));
}

TEST(Threads, AreRefusedUnderALaterOrder) {
  NEEDS_CLANG();
  const std::string text =
      "#include <thread>\n__device__ int n;\n"
      "__global__ void k(int* y) {\n  int i = atomicAdd(&n, 1);\n  y[i] = blockIdx.x;\n}\n"
      "int main() {\n  int h[2], *y;\n  cudaMalloc(&y, 8);\n  k<<<2, 1>>>(y);\n"
      "  cudaMemcpy(h, y, 8, cudaMemcpyDeviceToHost);\n"
      "  if (h[0] == 1) std::thread([] { cudaGetLastError(); }).join();\n  cudaFree(y);\n}\n";
  try {
    run_text(text);
    FAIL() << "it ran";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(e.what()).find("only one thread may"), std::string::npos) << e.what();
  }
}

TEST(Threads, KeepTheFlawsThatWereFoundBefore) {
  NEEDS_CLANG();
  const KernelResult r =
      run_text(
          "#include <thread>\n__global__ void k(int* x) { x[threadIdx.x] *= 2; }\n"
          "int main() {\n  int* y;\n  cudaMalloc(&y, 16);\n"
          "  k<<<1, 5>>>(y);\n  cudaDeviceSynchronize();\n"
          "  std::thread([&] { cudaFree(y); }).join();\n}\n")
          .result;
  EXPECT_EQ(r.failure,
            "a second thread of main() calls CUDA, but on the simulated machine only one thread "
            "may do so");
  ASSERT_FALSE(r.flaws.empty());
  EXPECT_NE(to_junit(r).find("allocation 1 at byte 16 is out of bounds"), std::string::npos);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
