// A graph of main(): calls that are kept as nodes, and made again at each launch.
//
//   chain   the first node that follows another one runs in its stream; others begin a stream
//   order   events order nodes of several chains, and the launches of the graph
//   launch  the first chain runs in the stream of the launch
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lab/host_order.hpp"
#include "onefold/machine/sim/site.hpp"

namespace onefold::lab {

struct HostGraph {
  using Numbers = std::vector<std::size_t>;  // of nodes
  struct Node {
    std::function<int()> call;
    Numbers after;
    std::string kind;  // "launch", "copy", ...
    sim::Site place{};
    std::size_t chain = 0;
    bool continued = false, crossed = false;  // nodes follow it in its chain, in other chains
    HostOrder::Handle ended = 0;              // an event, if it is crossed
  };

  void add(Node node) {
    node.chain = chains;
    for (const std::size_t k : node.after) {
      if (node.chain == chains && !std::exchange(nodes[k].continued, true)) {
        node.chain = nodes[k].chain;
      } else {
        nodes[k].crossed = true;
      }
    }
    if (node.chain == chains) ++chains;
    nodes.push_back(std::move(node));
  }

  std::vector<Node> nodes;
  std::size_t chains = 0;
  std::vector<HostOrder::Handle> streams;  // of all chains but the first
  HostOrder::Handle ended = 0;             // an event
  bool broken = false;                     // its capture did what captures may not
  bool destroyed = false;
};

}  // namespace onefold::lab
