#include "onefold/system/jit/cache.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>

#include "io/files.hpp"
#include "onefold/system/jit/loaded.hpp"

namespace ONEFOLD_FILE {

using onefold::jit::Cache;
using onefold::test::Scratch;
namespace fs = std::filesystem;

const std::vector<char> image(5000, 'i');

// Returns the only file of a cache.
std::string file_of(const Cache& cache) {
  std::string found;
  for (const auto& entry : fs::directory_iterator(cache.folder())) found = entry.path().string();
  return found;
}

TEST(Cache, GivesBackWhatItKept) {
  const Scratch scratch;
  const Cache cache(scratch.path("a/b/onefold"));
  EXPECT_FALSE(cache.find("key"));
  ASSERT_TRUE(cache.keep("key", image));
  EXPECT_EQ(cache.find("key"), image);
  EXPECT_FALSE(cache.find("another key"));
  struct stat s {};
  ASSERT_EQ(::stat(cache.folder().c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 0777u, 0700u);
}

TEST(Cache, TrustsNoDamagedByte) {
  const Scratch scratch;
  const Cache cache(scratch.path("onefold"));
  ASSERT_TRUE(cache.keep("some key", image, {scratch.write("compiler", "")}));
  const std::string path = file_of(cache);
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at = 0; at < whole.size(); at += at < 64 ? 1 : 97) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_FALSE(cache.find("some key")) << "byte " << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, whole.size() - 1}) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    EXPECT_FALSE(cache.find("some key")) << size;
  }
  std::ofstream(path, std::ios::binary) << whole << "x";
  EXPECT_FALSE(cache.find("some key"));
  // A damaged file is replaced.
  ASSERT_TRUE(cache.keep("some key", image));
  EXPECT_EQ(cache.find("some key"), image);
}

TEST(Cache, TrustsNothingThatDependsOnAChangedFile) {
  const Scratch scratch;
  const Cache cache(scratch.path("onefold"));
  const std::string maker = scratch.write("compiler", "version 1");
  const auto time = fs::last_write_time(maker);
  const std::string missing = scratch.path("is not there");
  ASSERT_TRUE(cache.keep("key", image, {missing, maker}));
  EXPECT_EQ(cache.find("key"), image);
  fs::last_write_time(maker, time + std::chrono::nanoseconds(1));
  EXPECT_FALSE(cache.find("key"));
  scratch.write("compiler", "version 10");
  fs::last_write_time(maker, time);
  EXPECT_FALSE(cache.find("key"));
  scratch.write("compiler", "version 1");
  fs::last_write_time(maker, time);
  EXPECT_EQ(cache.find("key"), image);
  scratch.write("is not there", "");
  EXPECT_FALSE(cache.find("key"));
  fs::remove(missing);
  EXPECT_EQ(cache.find("key"), image);
  fs::remove(maker);
  EXPECT_FALSE(cache.find("key"));
}

TEST(Cache, KeepsOneKeyInASlot) {
  const Scratch scratch;
  const Cache cache(scratch.path("onefold"));
  const std::vector<char> other(10, 'o');
  ASSERT_TRUE(cache.keep("key", image, {}, "slot"));
  EXPECT_FALSE(cache.find("key"));
  EXPECT_EQ(cache.find("key", "slot"), image);
  ASSERT_TRUE(cache.keep("another", other, {}, "slot"));
  EXPECT_FALSE(cache.find("key", "slot"));
  EXPECT_EQ(cache.find("another", "slot"), other);
  EXPECT_EQ(cache.count(), 1u);
}

TEST(Cache, TrustsNothingThatOthersMayWrite) {
  const Scratch scratch;
  const Cache cache(scratch.path("onefold"));
  ASSERT_TRUE(cache.keep("key", image));
  fs::permissions(file_of(cache), fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(cache.find("key"));
  ASSERT_TRUE(cache.keep("key", image));
  EXPECT_TRUE(cache.find("key"));
  fs::permissions(cache.folder(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(cache.find("key"));
  EXPECT_FALSE(cache.keep("key", image));
}

// Root may be another user than this one: files of neither are not trusted.
TEST(Cache, TrustsNothingOfSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const Scratch scratch;
  const Cache cache(scratch.path("onefold"));
  ASSERT_TRUE(cache.keep("key", image));
  EXPECT_TRUE(cache.trusted());
  ASSERT_EQ(::chown(file_of(cache).c_str(), 12345, 0), 0);
  EXPECT_FALSE(cache.find("key"));
  ASSERT_TRUE(cache.keep("key", image));
  ASSERT_EQ(::chown(cache.folder().c_str(), 12345, 0), 0);
  EXPECT_FALSE(cache.find("key"));
  EXPECT_FALSE(cache.trusted());
  // For that user, who owns the folder, root's file is trusted.
  ASSERT_EQ(::chmod(scratch.path("").c_str(), 0755), 0);
  ASSERT_EQ(::chmod(file_of(cache).c_str(), 0644), 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::seteuid(12345) == 0 && cache.find("key") == image ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Cache, IsReadableByAllWhereAskedFor) {
  const Scratch scratch;
  const Cache cache(scratch.path("shipped"), true);
  const mode_t mask = ::umask(077);
  ASSERT_TRUE(cache.keep("key", image));
  ::umask(mask);
  struct stat folder {
  }, file{};
  ASSERT_EQ(::stat(cache.folder().c_str(), &folder), 0);
  ASSERT_EQ(::stat(file_of(cache).c_str(), &file), 0);
  EXPECT_EQ(folder.st_mode & 0777u, 0755u);
  EXPECT_EQ(file.st_mode & 0777u, 0644u);
  EXPECT_EQ(cache.count(), 1u);
  scratch.write("shipped/other", "");
  EXPECT_EQ(cache.count(), 1u);
}

TEST(Cache, KeepsThingsOfTwoEndingsApart) {
  const Scratch scratch;
  const Cache kernels(scratch.path("onefold")), others(scratch.path("onefold"), false, ".header");
  ASSERT_TRUE(others.keep("key", image));
  EXPECT_FALSE(kernels.find("key"));
  EXPECT_EQ(kernels.count(), 0u);
  EXPECT_EQ(others.find("key"), image);
}

TEST(Cache, FollowsNoLink) {
  const Scratch scratch;
  const Cache cache(scratch.path("onefold"));
  ASSERT_TRUE(cache.keep("key", image));
  const std::string path = file_of(cache), away = scratch.path("away");
  fs::rename(path, away);
  fs::create_symlink(away, path);
  EXPECT_FALSE(cache.find("key"));
}

TEST(Cache, KeepsNothingWhereItCannotWrite) {
  const Scratch scratch;
  scratch.write("file", "");
  EXPECT_FALSE(Cache(scratch.path("file/onefold")).keep("key", image));
  EXPECT_FALSE(Cache("").keep("key", image));
  EXPECT_FALSE(Cache("/proc/onefold").keep("key", image));
}

TEST(Cache, LeavesNothingBehindOnAFullDisk) {
  const Scratch scratch;
  const Cache cache(scratch.path("onefold"));
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(cache.keep("key", image) ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(file_of(cache), "");
}

// A process in another container may have had the same process id.
TEST(Cache, IsNotHinderedByWhatAKilledProcessLeft) {
  const Scratch scratch;
  const Cache cache(scratch.path("onefold"));
  ASSERT_TRUE(cache.keep("key", image));
  const std::string left = file_of(cache) + "." + std::to_string(::getpid()) + ".";
  for (int k = 0; k < 100; ++k) std::ofstream(left + std::to_string(k)) << "half";
  EXPECT_TRUE(cache.keep("key", image));
  EXPECT_EQ(cache.count(), 1u);
}

// However the folder's name is written, and whatever others may do in this user's other folders.
TEST(Cache, MakesAFolderThatNobodyElseMayWrite) {
  const Scratch scratch;
  const mode_t before = ::umask(0);
  for (const bool for_all : {false, true}) {
    const std::string name = scratch.path(for_all ? "a/all" : "a/own");
    EXPECT_TRUE(Cache(name + "/", for_all).keep("key", image));
    struct stat s {};
    ASSERT_EQ(::stat(name.c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 0777u, for_all ? 0755u : 0700u);
  }
  ::umask(before);
}

TEST(Cache, IsSharedByProcessesAtOnce) {
  const Scratch scratch;
  const Cache cache(scratch.path("onefold"));
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int k = 0; k < 200; ++k) {
      const auto found = cache.find("key");
      if (found && *found != image) ::_exit(1);
      if (!cache.keep("key", image)) ::_exit(2);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(cache.find("key"), image);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache.folder()), {}), 1);
}

TEST(Cache, LiesWhereTheEnvironmentSays) {
  const auto folder = [](const char* own, const char* xdg) {
    own == nullptr ? ::unsetenv("ONEFOLD_CACHE") : ::setenv("ONEFOLD_CACHE", own, 1);
    xdg == nullptr ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", xdg, 1);
    return Cache::from_environment().folder();
  };
  EXPECT_EQ(folder("/x", "/y"), "/x");
  EXPECT_EQ(folder("", "/y"), "");
  EXPECT_EQ(folder(nullptr, "/y"), "/y/onefold");
  ::setenv("HOME", "/h", 1);
  EXPECT_EQ(folder(nullptr, nullptr), "/h/.cache/onefold");
  EXPECT_EQ(folder(nullptr, "relative"), "/h/.cache/onefold");
}

// Shipped kernels are in a folder next to this program, or where the environment says.
TEST(Cache, FindsWhatWasShipped) {
  ::unsetenv("ONEFOLD_KERNELS");
  const fs::path here = onefold::jit::folder_of_this_code();
  EXPECT_TRUE(fs::equivalent(here, fs::canonical("/proc/self/exe").parent_path()));
  ::setenv("ONEFOLD_KERNELS", "/x", 1);
  EXPECT_EQ(Cache::shipped().folder(), "/x");
  ::setenv("ONEFOLD_KERNELS", "", 1);
  EXPECT_EQ(Cache::shipped().folder(), "");
  ::unsetenv("ONEFOLD_KERNELS");
}

}  // namespace ONEFOLD_FILE
