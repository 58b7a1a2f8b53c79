// What a child of `fork` has to know. It has one thread: the one that called fork. The parent's
// other threads are gone, and a lock that one of them held stays locked for ever.
#pragma once

namespace onefold {

// The number of forks between the start of the program and this process.
int forks();

// True in a child whose parent had other threads when it forked: a library with threads of its own
// (oneTBB) cannot be used there. A parent of one thread, as of a daemon at its start, leaves
// nothing locked.
bool lost_threads();

}  // namespace onefold
