// A graph of main(): calls that are kept as nodes, and made again at each launch.
//
//   chain   a node that is the first to follow another one runs in its stream, others begin a stream
//   order   nodes of other chains, and the launch, are followed by events
//   launch  the first chain is in the launch's stream; a graph comes after its last launch
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/host_order.hpp"
#include "onefold/machine/sim/site.hpp"

namespace onefold::lab {

struct HostGraph {
  using Numbers = std::vector<std::size_t>;  // of nodes
  struct Node {
    std::function<int()> call;
    Numbers after;
    std::string kind;   // "launch", "copy", ...
    sim::Site place{};  // of the call that was kept
    std::size_t chain = 0;
    HostOrder::Handle followed = 0;  // by other chains, which wait for this event
  };

  // Gives the nodes their chains, at the first launch.
  void order_nodes(HostOrder& order) {
    ended = order.create_event();
    std::vector<bool> continued(nodes.size());
    std::size_t chains = 0;
    for (Node& node : nodes) {
      const auto last = std::find_if(node.after.begin(), node.after.end(),
                                     [&](std::size_t k) { return !continued[k]; });
      node.chain = last == node.after.end() ? chains++ : nodes[*last].chain;
      if (last != node.after.end()) continued[*last] = true;
      for (const std::size_t k : node.after) {
        Node& before = nodes[k];
        if (before.chain != node.chain && before.followed == 0) {
          before.followed = order.create_event();
        }
      }
    }
    while (streams.size() + 1 < chains) streams.push_back(order.create_stream(false));
  }
  // Nodes that no other one follows.
  Numbers last_nodes() const {
    std::vector<bool> last(nodes.size(), true);
    for (const Node& node : nodes) {
      for (const std::size_t k : node.after) last[k] = false;
    }
    Numbers all;
    for (std::size_t k = 0; k < last.size(); ++k) {
      if (last[k]) all.push_back(k);
    }
    return all;
  }

  std::vector<Node> nodes;
  std::vector<HostOrder::Handle> streams;  // of all chains but the first
  HostOrder::Handle ended = 0;             // an event; 0: it was never launched
  bool broken = false;                     // its capture did what captures may not
  bool destroyed = false;
};

}  // namespace onefold::lab
