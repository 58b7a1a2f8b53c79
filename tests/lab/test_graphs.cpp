// Graphs of main(): captured and explicit nodes, and what captures may not do.
#include <gtest/gtest.h>

#include "lab/kernel_verdict.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// A program with streams s, t, an event, arrays x and y of the device and a of pinned memory.
RanMain run_body(const std::string& body) {
  return run_text(
      "#include <cstdio>\n__global__ void add(int* x, int by) { x[threadIdx.x] += by; }\n"
      "__global__ void copy(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }\n"
      "void count(void* p) { ++*(int*)p; }\n"
      "int main() {\n  int *x, *y, *a, calls = 0;\n  cudaStream_t s, t;\n  cudaEvent_t e;\n"
      "  cudaGraph_t g;\n  cudaGraphExec_t run;\n  cudaGraphNode_t node[4];\n  size_t n = 4;\n"
      "  cudaMalloc(&x, 256); cudaMalloc(&y, 256); cudaMallocHost(&a, 256);\n"
      "  cudaStreamCreate(&s); cudaStreamCreate(&t); cudaEventCreate(&e);\n"
      "  cudaMemset(x, 0, 256); cudaDeviceSynchronize();\n" +
      body + "\n  cudaDeviceSynchronize();\n  cudaFreeHost(a); cudaFree(x); cudaFree(y);\n}\n");
}
void clean(const std::string& body, const std::string& prints) {
  const RanMain r = run_body(body);
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result) << body;
  EXPECT_EQ(r.printed, prints) << body;
}
void flawed(const std::string& body, const std::string& kind, const std::string& says) {
  const RanMain r = run_body(body);
  EXPECT_EQ(kinds(r.result), Kinds{kind}) << body << why(r.result);
  EXPECT_NE(why(r.result).find(says), std::string::npos) << why(r.result) << body;
}
const std::string begin = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n",
                  end =
                      "cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&run, g, 0, 0, 0);\n"
                      "cudaGraphLaunch(run, s);\n",
                  down = "cudaMemcpyAsync(a, x, 256, cudaMemcpyDeviceToHost, s);\n",
                  print = "cudaStreamSynchronize(s); printf(\"%d %d\\n\", a[3], calls);\n";

TEST(Graphs, RepeatWhatWasCaptured) {
  NEEDS_CLANG();
  clean(begin +
            "int by = 2; add<<<1, 64, 0, s>>>(x, by); by = 50;\n"
            "cudaMemsetAsync(y, 0, 256, s);\n" +
            down + "cudaLaunchHostFunc(s, count, &calls); a[3] = 7;\n" + end +
            "cudaGraphLaunch(run, s);\n" + print +
            "cudaGraphGetNodes(g, nullptr, &n); printf(\"%zu\\n\", n);",
        "4 2\n4\n");
  const RanMain r = run_body(begin + "add<<<1, 64, 0, s>>>(x, 2);\n" + end +
                             "for (int i = 0; i < 4; ++i) cudaGraphLaunch(run, s);");
  ASSERT_EQ(r.result.counted.size(), 1u);  // a row, as for equal launches
  EXPECT_EQ(r.result.counted[0].times, 5u);
}

TEST(Graphs, HaveExplicitNodes) {
  NEEDS_CLANG();
  const std::string nodes =
      "int by = 5; void* given[] = {&x, &by};\n"
      "cudaKernelNodeParams k = {(void*)add, dim3(1), dim3(64), 0, given, 0};\n"
      "cudaMemsetParams zero = {}; zero.dst = x; zero.elementSize = 4; zero.width = 64;\n"
      "zero.height = 1; cudaHostNodeParams host = {count, &calls};\n"
      "cudaGraphCreate(&g, 0); cudaGraphAddMemsetNode(&node[0], g, 0, 0, &zero);\n"
      "cudaGraphAddKernelNode(&node[1], g, node, 1, &k);\n"
      "cudaGraphAddMemcpyNode1D(&node[2], g, node + 1, 1, a, x, 256, cudaMemcpyDefault);\n"
      "cudaGraphAddHostNode(&node[3], g, node + 2, 1, &host);\n";
  clean(nodes +
            "cudaGraph_t c; cudaGraphClone(&c, g); cudaGraphInstantiate(&run, c, 0);\n"
            "cudaGraphLaunch(run, s); cudaGraphLaunch(run, s);\n" +
            print +
            "by = 9; cudaGraphExecKernelNodeSetParams(run, node[1], &k);\n"
            "cudaGraphLaunch(run, s);\n" +
            print,
        "5 2\n9 3\n");
  flawed(nodes +
             "cudaGraphAddKernelNode(&node[3], g, node, 1, &k); cudaGraphInstantiate(&run, g);\n"
             "cudaGraphLaunch(run, s);",
         "race", "in two streams without an event or synchronisation between them");
}

TEST(Graphs, AreOrderedAsTheirStreams) {
  NEEDS_CLANG();
  const std::string fork = "cudaEventRecord(e, s); cudaStreamWaitEvent(t, e);\n",
                    other = "copy<<<1, 64, 0, t>>>(x, y);\n", add = "add<<<1, 64, 0, s>>>(x, 1);\n",
                    join = "cudaEventRecord(e, t); cudaStreamWaitEvent(s, e);\n";
  clean(begin + add + fork + other + join + add + end + "cudaGraphLaunch(run, t);\n", "");
  flawed(begin + add + fork + add + other + join + end, "race", "without an event");
  flawed(begin + add + end + other, "race", "without an event");
  flawed(begin + add + down + end + "printf(\"%d\", a[3]);", "bad_call", "main() uses memory of");
  flawed(begin + add + fork + other + end, "bad_call", "does not wait for a launch in another");
}

TEST(Graphs, AreUpdatedIfTheirNodesAreAlike) {
  NEEDS_CLANG();
  const std::string two = "add<<<1, 64, 0, s>>>(x, 3);\n" + down,
                    update =
                        "cudaStreamEndCapture(s, &g); cudaGraphExecUpdateResultInfo info;\n"
                        "printf(\"%d \", cudaGraphExecUpdate(run, g, &info));\n"
                        "cudaGraphLaunch(run, s);\n";
  clean(begin + two + end + begin + two + update + print, "0 6 0\n");
  clean(begin + two + end + begin + down + update + print, "910 6 0\n");
}

TEST(Graphs, RefuseWhatACaptureMayNotDo) {
  NEEDS_CLANG();
  const std::string error = "printf(\"%s\\n\", cudaGetErrorName(cudaGetLastError()));";
  const auto refused = [&](const std::string& call, const std::string& name) {
    const RanMain r = run_body(begin + call + error + "cudaStreamEndCapture(s, &g);\n" + error);
    EXPECT_EQ(r.printed, name + "\ncudaErrorStreamCaptureInvalidated\n");
    EXPECT_EQ(kinds(r.result)[0], "bad_call") << why(r.result);
  };
  refused("cudaDeviceSynchronize();", "cudaErrorStreamCaptureUnsupported");
  refused("cudaStreamSynchronize(s);", "cudaErrorStreamCaptureUnsupported");
  refused("cudaMemcpy(y, x, 4, cudaMemcpyDeviceToDevice);", "cudaErrorStreamCaptureImplicit");
  refused("add<<<1, 1>>>(x, 1);", "cudaErrorStreamCaptureImplicit");
  refused("cudaEventRecord(e, s); cudaEventSynchronize(e);", "cudaErrorCapturedEvent");
  refused("cudaEventRecord(e, t); cudaStreamWaitEvent(s, e);", "cudaErrorStreamCaptureIsolation");
  flawed(begin + "add<<<1, 64, 0, s>>>(x, 1);\n" + end +
             "cudaGraphExecDestroy(run); cudaGraphLaunch(run, s);",
         "bad_call", "cudaGraphLaunch after cudaGraphExecDestroy");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
