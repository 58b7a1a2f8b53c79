#pragma once

#include "onefold/cpu/feed.hpp"

namespace onefold::cpu_backend {

void add_portable_feeds(std::vector<Feed>& table);

}  // namespace onefold::cpu_backend
