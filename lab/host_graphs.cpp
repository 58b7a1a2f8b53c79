// main()'s calls that capture, make and launch graphs.
#include <fmt/format.h>

#include <algorithm>

#include "lab/host_session.hpp"

namespace onefold::lab {
namespace {

constexpr std::uintptr_t stream_of_node = ~std::uintptr_t{0};  // of a call that makes a node

}  // namespace

int Session::break_capture(int error, const std::string& why) {
  for (auto& [stream, capture] : captures_) capture.graph->broken = true;
  return refuse(error, why + " while a stream is captured in a graph");
}

// Keeps a call as a node if its stream is captured, and returns CUDA's error. Nothing: the call
// must be made.
std::optional<int> Session::keep(std::uintptr_t stream, const char* kind,
                                 std::function<int()> call) {
  const auto at = captures_.find(stream);
  if (at == captures_.end()) {
    if (const int e = check_stream(stream, kind)) return e;
    const bool waits = stream < 2 && std::any_of(captures_.begin(), captures_.end(),
                                                 [&](auto& c) { return order_.blocking(c.first); });
    if (!waits) return {};
    return break_capture(capture_implicit, fmt::format("a {} in the default stream", kind));
  }
  auto& [graph, after, replaced] = at->second;
  if (replaced != 0 && replaced <= graph->nodes.size()) {
    graph->nodes[replaced - 1].call = std::move(call);
    return 0;
  }
  graph->add({std::move(call), after, kind, place_});
  after = {graph->nodes.size() - 1};
  return 0;
}

int Session::record(std::uintptr_t event, std::uintptr_t stream) {
  if (const int e = check_stream(stream, "cudaEventRecord")) return e;
  if (const int e = check_event(event, "cudaEventRecord")) return e;
  recorded_.insert(event);
  const auto at = captures_.find(stream);
  if (at != captures_.end()) {
    captured_events_.insert_or_assign(event, at->second);
  } else {
    captured_events_.erase(event);
    order_.record(event, stream);
  }
  return 0;
}

// A stream that waits for an event of a capture is captured, too.
int Session::wait_for(std::uintptr_t stream, std::uintptr_t event) {
  if (const int e = check_stream(stream, "cudaStreamWaitEvent")) return e;
  if (const int e = check_event(event, "cudaStreamWaitEvent")) return e;
  const auto from = captured_events_.find(event);
  if (from == captured_events_.end()) {
    if (captures_.contains(stream)) {
      return break_capture(capture_isolation,
                           "a wait for an event that was recorded outside the capture");
    }
    order_.wait(stream, event);
    return 0;
  }
  Capture& c = captures_.try_emplace(stream, Capture{from->second.graph, {}}).first->second;
  for (const std::size_t k : from->second.after) {
    if (std::find(c.after.begin(), c.after.end(), k) == c.after.end()) c.after.push_back(k);
  }
  return 0;
}

int Session::end_capture(std::uintptr_t stream, void** made) {
  *made = nullptr;
  const auto at = captures_.find(stream);
  if (at == captures_.end()) {
    return refuse(illegal_state, "cudaStreamEndCapture of a stream that is not being captured");
  }
  const auto [graph, after, replaced] = at->second;
  const auto of_graph = [g = graph](const auto& c) { return c.second.graph == g; };
  std::erase_if(captures_, of_graph);
  std::erase_if(captured_events_, of_graph);
  if (graph->broken) return capture_invalidated;
  for (std::size_t k = 0; k < graph->nodes.size(); ++k) {
    const HostGraph::Node& node = graph->nodes[k];
    if (node.continued || node.crossed || std::count(after.begin(), after.end(), k) != 0) continue;
    return refuse(
        capture_unjoined,
        fmt::format("the captured stream does not wait for a {} in another stream", node.kind));
  }
  *made = graph;
  return 0;
}

int Session::launch_graph(HostGraph& g, std::uintptr_t stream) {
  if (g.destroyed) return refuse(invalid_value, "cudaGraphLaunch after cudaGraphExecDestroy");
  if (const auto e = keep(stream, "graph", [&, this] { return launch_graph(g, next_stream_); })) {
    return *e;
  }
  while (g.streams.size() + 1 < g.chains) g.streams.push_back(order_.create_stream(false));
  if (g.ended == 0) g.ended = order_.create_event();
  order_.wait(stream, g.ended);
  order_.record(g.ended, stream);
  for (const std::uintptr_t s : g.streams) order_.wait(s, g.ended);
  const bool outer = std::exchange(replayed_, true);
  int error = 0;
  for (HostGraph::Node& node : g.nodes) {
    const std::uintptr_t s = node.chain == 0 ? stream : g.streams[node.chain - 1];
    for (const std::size_t k : node.after) {
      if (g.nodes[k].chain != node.chain) order_.wait(s, g.nodes[k].ended);
    }
    place_ = node.place, next_stream_ = s, queued_ = true;
    if (const int e = node.call(); error == 0) error = e;
    if (given_up_) break;
    if (!node.crossed) continue;
    if (node.ended == 0) node.ended = order_.create_event();
    order_.record(node.ended, s);
  }
  replayed_ = outer;
  for (const std::uintptr_t s : g.streams) {
    order_.record(g.ended, s);
    order_.wait(stream, g.ended);
  }
  order_.record(g.ended, stream);
  return error;
}

int Session::graph(int use, void* a, void* b, std::size_t n) {
  const auto stream = reinterpret_cast<std::uintptr_t>(a);
  switch (use) {
    case GraphUse::begin_capture:
      if (stream < 2 || captures_.contains(stream)) {
        return refuse(capture_unsupported,
                      stream < 2
                          ? "cudaStreamBeginCapture of the default stream"
                          : "cudaStreamBeginCapture of a stream that is already being captured");
      }
      captures_.insert({stream, {&graphs_.emplace_back(), {}}});
      return 0;
    case GraphUse::end_capture:
      return end_capture(stream, static_cast<void**>(b));
    case GraphUse::captured:
      return !captures_.contains(stream) ? 0 : captures_[stream].graph->broken ? 2 : 1;
    case GraphUse::host_call: {
      void** both = static_cast<void**>(b);
      const auto f = reinterpret_cast<void (*)(void*)>(both[0]);
      return keep(stream, "call of the host", [f, data = both[1]] { return f(data), 0; }) ? 0 : 1;
    }
    case GraphUse::create_graph:
      *static_cast<void**>(b) = &graphs_.emplace_back();
      return 0;
    default:
      break;
  }
  const auto at = std::find_if(graphs_.begin(), graphs_.end(), [&](auto& g) { return &g == a; });
  if (at == graphs_.end()) return refuse(invalid_value, "the argument is not a graph");
  HostGraph& g = *at;
  switch (use) {
    case GraphUse::copy_graph:
      *static_cast<void**>(b) = &graphs_.emplace_back(g);
      return 0;
    case GraphUse::destroy_graph:
      g.destroyed = true;
      return 0;
    case GraphUse::begin_node: {
      Capture& c = captures_[stream_of_node] = {&g, {}, b == nullptr ? n : 0};
      for (std::size_t k = 0; b != nullptr && k < n; ++k) {
        const std::size_t before = static_cast<std::size_t*>(b)[k];
        if (before - 1 >= g.nodes.size())
          return refuse(invalid_value, "a node that belongs to another graph");
        c.after.push_back(before - 1);
      }
      return 0;
    }
    case GraphUse::end_node:
      captures_.erase(stream_of_node);
      return static_cast<int>(g.nodes.size());
    case GraphUse::update_graph: {
      const std::vector<HostGraph::Node>& from = static_cast<HostGraph*>(b)->nodes;
      const auto alike = [](const auto& x, const auto& y) {
        return x.kind == y.kind && x.after == y.after;
      };
      if (!std::equal(g.nodes.begin(), g.nodes.end(), from.begin(), from.end(), alike)) {
        return update_failure;
      }
      for (std::size_t k = 0; k < from.size(); ++k) g.nodes[k].call = from[k].call;
      return 0;
    }
    default:
      return launch_graph(g, reinterpret_cast<std::uintptr_t>(b));
  }
}

}  // namespace onefold::lab
